import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type FrameRule, MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { frameRules, withoutNullArguments } from "@merkle/wire/schemas";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import type { Revocations } from "../../identity/revocations.js";
import { refuseStranger } from "../../sessions/access/authorize.js";
import type { Admit, HttpAdmission, HttpContext } from "../http/admit.js";
import type { BodyReader } from "../http/read-json-body.js";
import { type Exchange, openExchange } from "./exchange.js";
import { createLiveSessions, type Others } from "./live-sessions.js";
import { type ConnectableServer, type McpSession, openMcpSession, type Resumability } from "./mcp-session.js";
import { methodNotAllowed, rpcCodes, rpcErrorResponse } from "./rpc-response.js";
import { type McpSessionStore, toSessionKey } from "./session-store.js";
import type { StatelessServer } from "./stateless-server.js";

export interface McpMountOptions {
  /** Makes the server that answers one session. */
  readonly createServer: (session: McpSession) => ConnectableServer;
  readonly store: McpSessionStore;
  /** How long it may go unnoticed here that a session was ended elsewhere. */
  readonly confirmMs?: number | undefined;
  /** The other nodes, where there may be some. */
  readonly others?: Others | undefined;
  /** Finds out who sends a request. */
  readonly admit: Admit;
  /** Refuses what whoever sent the request may not ask for. Calls of tools are refused where they are answered. */
  readonly permit: (rule: FrameRule, admission: HttpAdmission) => Promise<unknown>;
  /** Watches over whoever has been let in; ends the request when that does. */
  readonly hold: Revocations["watch"];
  /**
   * Takes a place for a stream that stays open, and returns what leaves it (GUARD-24).
   *
   * @throws too_many_requests
   */
  readonly takeStream: (admission: HttpAdmission) => () => void;
  readonly bodies: BodyReader;
  /** Says what a caller is told of a failure. */
  readonly toError: (error: unknown) => MerkleError;
  /** Where a stranger learns how to be let in; null where everybody is. */
  readonly metadataUrl?: ((path: string) => string | null) | undefined;
  /** Opens what serves the revision without sessions, when the first request of it comes (MCP-16). */
  readonly openStateless: () => Promise<StatelessServer>;
  readonly resumability?: Resumability;
  /** How many sessions are held in memory. */
  readonly liveMax?: number;
}

export interface McpMount {
  /** Serves one HTTP request of MCP's Streamable HTTP transport. Host and Origin have been checked before. */
  handle(c: HttpContext): Promise<Response>;
  /** Ends streams, lets calls under way finish for a moment, and leaves nothing running. Sessions outlive it. */
  stop(): Promise<void>;
}

const drainDeadlineMs = 2_000;
const claim = "io.modelcontextprotocol/protocolVersion";
const firstStateless = "2026-07-28";

/** Puts MCP servers behind HTTP: with sessions that outlive this process, and for single requests without one. */
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

  /** RFC 9728, section 5.1: a client that is not known is told where to ask to be let in (OAUTH-1). */
  function refuse(c: HttpContext, error: MerkleError): Response {
    const url = error.status === 401 ? options.metadataUrl?.(c.req.path) : undefined;
    const challenge = url == null ? {} : { "www-authenticate": `Bearer resource_metadata="${url}"` };
    return rpcErrorResponse(error, rpcCodes.refused, new Headers(challenge));
  }

  async function serve(exchange: Exchange): Promise<Response> {
    const { method } = exchange.c.req;
    const given = exchange.headers.get("mcp-session-id");
    const id = given === null ? null : toSessionKey(given, exchange.admission.principal);
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
    for (const rule of rulesFor(body)) await permit(rule, exchange.admission);
    if (Object(soleMessage(body)).method === "subscriptions/listen") holdStream(exchange);
    if (namesRevision(exchange.headers, body)) {
      stateless ??= options.openStateless();
      const answer = await (await stateless).serve(exchange, body);
      if (answer) return answer;
    }
    if (isInitializeRequest(soleMessage(body))) return initialize(exchange, body);
    if (id === null) return answerAlone(exchange, body);
    const session = await sessions.find(id);
    return session ? session.post(exchange, body) : unknownSession();
  }

  /**
   * Opens a session. It is stored before its id is known to anybody, so that the id holds from then on. An observer gets none,
   * since it never has a team to remember, and a link that is passed around would fill the database (MCP-13).
   */
  async function initialize(exchange: Exchange, body: unknown): Promise<Response> {
    refuseLargeInitialize(body);
    const { principal } = exchange.admission;
    if (principal?.kind === "observer") return answerAlone(exchange, body);
    const id = toSessionKey(randomBytes(32).toString("base64url"), principal);
    await store.save(id, soleMessage(body));
    const session = await open(id, exchange);
    sessions.add(id, session);
    return session.post(exchange, body);
  }

  /** Answers without a session, as curl asks (MCP-3). */
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
      // Before anything is awaited, so that no end goes unseen.
      const open = openExchange(c);
      try {
        if (stopping !== null)
          throw new MerkleError("unavailable", "The broker is stopping.", { retry_after_s: 2 });
        const admission = await admit(c);
        // A stranger gets no session, and not even the list of tools; nothing that it sends is read.
        refuseStranger(frameRules.mcp, admission.principal);
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

/** Reads what was posted, or says why it cannot be read. */
async function readMessages({ c }: Exchange, bodies: BodyReader): Promise<unknown> {
  try {
    const body = await bodies.readJson(c.env.incoming);
    if (Array.isArray(body)) return body.map(withoutNullArguments);
    if (body !== undefined) return withoutNullArguments(body);
    throw new MerkleError("bad_request", "A POST needs a JSON-RPC message as its body.");
  } catch (error) {
    if (!(error instanceof MerkleError)) throw error;
    return rpcErrorResponse(error, error.code === "bad_request" ? rpcCodes.parseError : rpcCodes.refused);
  }
}

/** The rule that admits each message; calls of tools are operations, and admitted as these. */
function rulesFor(body: unknown): FrameRule[] {
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

function soleMessage(body: unknown): unknown {
  return Array.isArray(body) && body.length === 1 ? body[0] : body;
}

function unknownSession(): Response {
  const error = new MerkleError(
    "not_found",
    "This MCP session does not exist or has ended. Send initialize again, without Mcp-Session-Id.",
  );
  return rpcErrorResponse(error, rpcCodes.unknownSession);
}

/**
 * Whether something of a request may be of the revision without sessions, in which each names its revision itself. It is
 * asked of every request, before what serves that revision is loaded; that decides.
 */
function namesRevision(headers: Headers, body: unknown): boolean {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  const claims = messages.some((message) => claim in Object(Object(Object(message).params)._meta));
  return claims || (headers.get("mcp-protocol-version") ?? "") >= firstStateless;
}
