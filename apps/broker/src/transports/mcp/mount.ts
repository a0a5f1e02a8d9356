import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type FrameRule, MerkleError, withoutNullArguments } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { frameRules } from "@merkle/wire/schemas";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import type { Revocations } from "../../identity/revocations.js";
import { refuseUnauthenticated } from "../../sessions/access/authorize.js";
import type { Admit, HttpAdmission, HttpContext } from "../http/admit.js";
import type { BodyReader } from "../http/read-json-body.js";
import { type Exchange, openExchange } from "./exchange.js";
import { createLiveSessions, type Others } from "./live-sessions.js";
import { type ConnectableServer, type McpSession, openMcpSession, type Resumability } from "./mcp-session.js";
import { methodNotAllowed, rpcCodes, toRpcErrorResponse } from "./rpc-response.js";
import { type McpSessionStore, toSessionKey } from "./session-store.js";
import type { StatelessServer } from "./stateless-server.js";

export interface McpMountOptions {
  /** Creates the server that answers the requests of one session. */
  readonly createServer: (session: McpSession) => ConnectableServer;
  readonly store: McpSessionStore;
  /** Maximum time until this node notices that a session was ended on another node. */
  readonly confirmMs?: number | undefined;
  /** Notifies other nodes. Omitted if there can be no other node. */
  readonly others?: Others | undefined;
  /** Authenticates a request. */
  readonly admit: Admit;
  /**
   * Refuses messages that the sender may not send. Tool calls are authorised later, where they are handled.
   */
  readonly permit: (rule: FrameRule, admission: HttpAdmission) => Promise<unknown>;
  /** Watches an admitted principal. Ends the request as soon as the principal's access ends. */
  readonly hold: Revocations["watch"];
  /**
   * Reserves a slot for a long-lived stream. Returns a function that releases the slot (GUARD-24).
   *
   * @throws too_many_requests
   */
  readonly takeStream: (admission: HttpAdmission) => () => void;
  readonly bodies: BodyReader;
  /** Converts any error to the error returned to the caller. */
  readonly toError: (error: unknown) => MerkleError;
  /**
   * Returns the URL of the metadata that tells an unauthenticated client how to get access. Null in open
   * mode.
   */
  readonly findMetadataUrl?: ((path: string) => string | null) | undefined;
  /** Opens the server for the sessionless protocol revision, at the first request that uses it (MCP-16). */
  readonly openStateless: () => Promise<StatelessServer>;
  readonly resumability?: Resumability;
  /** Maximum number of MCP sessions in memory. */
  readonly liveMax?: number;
}

export interface McpMount {
  /**
   * Serves one HTTP request of MCP's Streamable HTTP transport. The request's Host and Origin must already have
   * been checked.
   */
  handle(c: HttpContext): Promise<Response>;
  /**
   * Ends all streams, gives running calls a moment to finish, and leaves nothing running. Sessions remain in
   * the store.
   */
  stop(): Promise<void>;
}

const drainDeadlineMs = 2_000;
const protocolVersionKey = "io.modelcontextprotocol/protocolVersion";
const firstStateless = "2026-07-28";

/**
 * Creates the MCP endpoint, which serves sessions that outlive this process and single requests without a
 * session.
 */
export function createMcpMount(options: McpMountOptions): McpMount {
  const { createServer, bodies, admit, permit, hold, takeStream, toError, resumability } = options;
  const { store, others, liveMax, confirmMs } = options;
  const open = (id: string | null, by: Exchange | null) =>
    openMcpSession({
      ...{ id, createServer, resumability },
      openedBy: by && { url: by.url, principal: by.admission.principal },
      ...(id !== null && { onCancelledElsewhere: (request) => sessions.cancelElsewhere(id, request) }),
    });
  const sessions = createLiveSessions({
    store,
    open: (id) => open(id, null),
    confirmMs,
    others,
    ...(liveMax !== undefined && { liveMax }),
  });
  let stateless: Promise<StatelessServer> | undefined;
  const underWay = new Set<Promise<unknown>>();
  let stopping: Promise<void> | null = null;

  /**
   * Builds the error response for a refused request. An unauthenticated client gets the URL where it can
   * request access (RFC 9728, section 5.1; OAUTH-1).
   */
  function refuse(c: HttpContext, error: MerkleError): Response {
    const url = error.status === 401 ? options.findMetadataUrl?.(c.req.path) : undefined;
    const challenge = url == null ? {} : { "www-authenticate": `Bearer resource_metadata="${url}"` };
    return toRpcErrorResponse(error, rpcCodes.refused, new Headers(challenge));
  }

  async function serve(exchange: Exchange): Promise<Response> {
    const { method } = exchange.c.req;
    const sessionHeader = exchange.headers.get("mcp-session-id");
    const id = sessionHeader === null ? null : toSessionKey(sessionHeader, exchange.admission.principal);
    if (method === "POST") return post(exchange, id);
    await permit(frameRules.mcp, exchange.admission);
    if (method === "GET" && id === null) {
      return methodNotAllowed("A stream needs the Mcp-Session-Id that initialize returned.", "POST");
    }
    if (method === "GET") return listen(exchange, id);
    if (method === "DELETE") return end(id);
    return methodNotAllowed("MCP accepts only POST, GET and DELETE.", "GET, POST, DELETE");
  }

  async function post(exchange: Exchange, id: string | null): Promise<Response> {
    underWay.add(exchange.ended);
    void exchange.ended.then(() => underWay.delete(exchange.ended));
    const body = await readMessages(exchange, bodies);
    if (body instanceof Response) return body;
    for (const rule of toFrameRules(body)) await permit(rule, exchange.admission);
    if (Object(unwrapMessage(body)).method === "subscriptions/listen") holdStream(exchange);
    if (hasRevision(exchange.headers, body)) {
      stateless ??= options.openStateless();
      const answer = await (await stateless).serve(exchange, body);
      if (answer) return answer;
    }
    if (isInitializeRequest(unwrapMessage(body))) return initialize(exchange, body);
    if (id === null) return answerAlone(exchange, body);
    const session = await sessions.find(id);
    return session ? session.post(exchange, body) : unknownSession();
  }

  /**
   * Opens a session. The session is stored before the client receives its id, so that the id is valid
   * immediately. Observers get no session: they have no team whose credential could be stored, and a widely
   * shared link would fill the database (MCP-13).
   */
  async function initialize(exchange: Exchange, body: unknown): Promise<Response> {
    refuseLargeInitialize(body);
    const { principal } = exchange.admission;
    if (principal?.kind === "observer") return answerAlone(exchange, body);
    const id = toSessionKey(randomBytes(32).toString("base64url"), principal);
    await store.save(id, unwrapMessage(body));
    const session = await open(id, exchange);
    sessions.add(id, session);
    return session.post(exchange, body);
  }

  /** Answers a request without a session, such as one sent by curl (MCP-3). */
  async function answerAlone(exchange: Exchange, body: unknown): Promise<Response> {
    const session = await open(null, exchange);
    void exchange.ended.then(() => session.close());
    return session.post(exchange, body);
  }

  async function listen(exchange: Exchange, id: string | null): Promise<Response> {
    const session = id === null ? null : await sessions.find(id);
    if (!session) return unknownSession();
    holdStream(exchange);
    return session.listen(exchange);
  }

  function holdStream({ admission, ended }: Exchange): void {
    void ended.then(takeStream(admission));
  }

  async function end(id: string | null): Promise<Response> {
    if (id === null || !(await sessions.find(id))) return unknownSession();
    await sessions.end(id);
    return new Response(null, { status: 200 });
  }

  async function shutDown(): Promise<void> {
    sessions.endStreams();
    (await stateless)?.endStreams();
    const drained = new AbortController();
    const deadline = delay(drainDeadlineMs, undefined, { signal: drained.signal }).catch(() => undefined);
    await Promise.race([Promise.all(underWay), deadline]);
    drained.abort();
    await sessions.closeAll();
  }

  return {
    async handle(c) {
      // Called before the first `await`, so that the end of the connection is not missed.
      const open = openExchange(c);
      try {
        if (stopping !== null)
          throw new MerkleError("unavailable", "The broker is stopping.", { retry_after_s: 2 });
        const admission = await admit(c);
        // An unauthenticated client gets neither a session nor the list of tools, and the body of its request
        // is not read.
        refuseUnauthenticated(frameRules.mcp, admission.principal);
        const release = hold(admission.principal, () => c.env.outgoing.destroy());
        void open.ended.then(release);
        return await serve({ ...open, admission });
      } catch (error) {
        return refuse(c, toError(error));
      }
    },
    stop() {
      stopping ??= shutDown();
      return stopping;
    },
  };
}

/** Reads the posted messages, or returns the error response. */
async function readMessages({ c }: Exchange, bodies: BodyReader): Promise<unknown> {
  try {
    const body = await bodies.readJson(c.env.incoming);
    if (Array.isArray(body)) return body.map(withoutNullArguments);
    if (body !== undefined) return withoutNullArguments(body);
    throw new MerkleError("bad_request", "A POST needs a JSON-RPC message as its body.");
  } catch (error) {
    if (!(error instanceof MerkleError)) throw error;
    return toRpcErrorResponse(error, error.code === "bad_request" ? rpcCodes.parseError : rpcCodes.refused);
  }
}

/**
 * Returns the access rules to check for the messages in a body. Tool calls are operations, and are authorised
 * as operations.
 */
function toFrameRules(body: unknown): FrameRule[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.flatMap((message): FrameRule[] => {
    const { method } = Object(message);
    if (method === "tools/call") return [];
    return method === "initialize" ? [frameRules.initialize] : [frameRules.mcp];
  });
}

function refuseLargeInitialize(body: unknown): void {
  const bytes = Buffer.byteLength(JSON.stringify(body));
  const bytes_max = limits.mcpInitializeBytesMax;
  if (bytes <= bytes_max) return;
  throw new MerkleError(
    "payload_too_large",
    `initialize is too large: it has ${bytes} bytes, and the limit is ${bytes_max}. Send only the client's name, version and capabilities.`,
    { bytes_max },
  );
}

function unwrapMessage(body: unknown): unknown {
  return Array.isArray(body) && body.length === 1 ? body[0] : body;
}

function unknownSession(): Response {
  const error = new MerkleError(
    "not_found",
    "This MCP session does not exist or has ended. Send initialize again, without Mcp-Session-Id.",
  );
  return toRpcErrorResponse(error, rpcCodes.unknownSession);
}

/**
 * Returns whether a request might use the sessionless protocol revision, in which each request names its
 * revision. This cheap check runs for every request before that revision's server is loaded. The server makes
 * the final decision.
 */
function hasRevision(headers: Headers, body: unknown): boolean {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  const hasClaim = messages.some(
    (message) => protocolVersionKey in Object(Object(Object(message).params)._meta),
  );
  return hasClaim || (headers.get("mcp-protocol-version") ?? "") >= firstStateless;
}
