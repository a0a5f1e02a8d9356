import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { buildHeader, buildNumber, MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { frameRules } from "@merkle/wire/schemas";
import { Hono } from "hono";
import { createConcurrencyLimit } from "../core/concurrency-limit.js";
import type { PageBuild } from "../core/page-build.js";
import { toMerkleError } from "../core/to-merkle-error.js";
import { readBearer, readBrowserToken } from "../identity/authenticator/cookie.js";
import { isLoopback } from "../identity/origin/auth-mode.js";
import type { HostGuard } from "../identity/origin/hosts.js";
import { refuseProxied } from "../identity/origin/proxied.js";
import type { OriginReader, RequestOrigin } from "../identity/origin/request-origin.js";
import { requireMainMesh } from "../identity/require-main-mesh.js";
import { toTokenName } from "../identity/tokens/token.js";
import { admitCaller } from "../sessions/access/admit-caller.js";
import { limitConnections } from "./guard/limit-connections.js";
import { limitPipelining } from "./guard/limit-pipelining.js";
import { createAdmit, type HttpContext } from "./http/admit.js";
import { mountDashboard } from "./http/dashboard.js";
import { checkHealth } from "./http/health.js";
import {
  adviseOlderClient,
  noSuchRoute,
  refuseUpgrade,
  toErrorResponse,
  toJsonResponse,
  toRetryAfterHeader,
} from "./http/http-error.js";
import { mountInstall } from "./http/install.js";
import type { MountRoutes } from "./http/mount.js";
import { createOpenApi } from "./http/openapi.js";
import { createBodyReader } from "./http/read-json-body.js";
import { mountRest } from "./http/rest.js";
import { mountSignIn } from "./http/sign-in.js";
import { mountMcp } from "./mcp/mount-mcp.js";
import { renderAgentsPage } from "./reference/agents-page.js";
import type { Authenticator, Meshes, Services } from "./services.js";
import type { HeldCertificate } from "./tls/hold-certificate.js";
import { createWebSocketTransport } from "./websocket/websocket-transport.js";

export interface HttpServer {
  readonly server: Server;
  /** Stops accepting calls, lets running calls finish, and closes every connection. */
  stop(): Promise<void>;
}

export interface HttpServerOptions<All extends Services> extends ListenerOptions {
  readonly meshes: Meshes<All>;
  readonly authenticator: Authenticator<All>;
  /** The HTTP routes that features add. */
  readonly mounts: readonly MountRoutes<All>[];
  /**
   * Returns the URL of the metadata that tells clients how to get access to the MCP endpoint at this path (RFC 9728), or
   * null.
   */
  readonly findMetadataUrl: (path: string) => string | null;
  readonly hosts: HostGuard;
  readonly originReader: OriginReader;
  readonly heartbeatMs: number;
  readonly connectionsMax?: number | undefined;
  /** A folder of static pages to serve at `/`. */
  readonly dashboard: string | undefined;
  readonly pageBuild?: PageBuild | undefined;
  /** Packs the CLI for `/cli.tgz`. */
  readonly packCli?: (() => Promise<Uint8Array>) | undefined;
}

interface ListenerOptions {
  /** The certificate for TLS. If set, the port accepts only TLS. */
  readonly certificate?: HeldCertificate | undefined;
  readonly deadlines: Deadlines;
}

/** Time limits for the parts of a request or hello to arrive. Slower clients are disconnected. */
export interface Deadlines {
  readonly requestHeadersMs: number;
  readonly requestMs: number;
  readonly helloMs: number;
}

/**
 * Limits the requests from one address that run at the same time. A browser sends six in parallel, most of
 * which take a millisecond or two.
 */
const concurrencyBounds = { countMax: 4, countedMs: 50 } as const;
const drainDeadlineMs = 5_000;
const idleSweepMs = 20;
const slowRequestsCheckMs = 1_000;

/**
 * Creates the server for all transports (REST, MCP and WebSocket) and for static pages and documents (OPS-1).
 */
export async function createHttpServer<All extends Services>(
  options: HttpServerOptions<All>,
): Promise<HttpServer> {
  const { meshes, authenticator, hosts, originReader, heartbeatMs, connectionsMax } = options;
  const services = meshes.main;
  const { addresses, limiter, version, settings } = services;
  const app = new Hono<{ Bindings: HttpBindings }>();

  const admit = createAdmit(authenticator, originReader);
  const bodies = createBodyReader();
  mountRest(app, admit, bodies);
  mountSignIn(app, {
    meshes,
    authenticator,
    admit,
    bodies,
    originReader,
    isOwnOrigin: hosts.isOwnOrigin,
  });
  const mcp = mountMcp(app, services, {
    admit: createAdmit(authenticator, originReader, { forMcp: true }),
    bodies,
    findMetadataUrl: options.findMetadataUrl,
  });
  for (const mount of options.mounts) mount(app, { services, admit, bodies });
  app.get("/health", async () => {
    const health = await checkHealth(services);
    const response = toJsonResponse(health);
    return health.ready && health.durable
      ? response
      : new Response(response.body, { status: 503, headers: response.headers });
  });
  app.get("/metrics", async (c) => {
    const { principal, services: ofMesh } = await admit(c);
    await admitCaller(ofMesh, { operation: frameRules.metrics, principal }, {});
    requireMainMesh(ofMesh, "/metrics");
    return new Response(await services.metrics.render(), {
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    });
  });
  // Accessible without authentication, because anyone may verify a record without being a member of this
  // broker.
  app.get("/.well-known/merkle-audit-key", () => {
    const response = toJsonResponse({ keys: services.signer.keys });
    response.headers.set("cache-control", "public, max-age=300");
    return response;
  });
  app.get("/openapi.json", () => toJsonResponse(createOpenApi({ baseUrl: addresses.getBaseUrl(), version })));
  app.get(
    "/agents.md",
    () =>
      new Response(
        renderAgentsPage({
          auth: services.auth,
          mcpUrl: addresses.getMcpUrl(),
          baseUrl: addresses.getBaseUrl(),
          keyPin: addresses.findKeyPin(),
          idlePolls: settings.current.idle_polls,
        }),
        { headers: { "content-type": "text/markdown; charset=utf-8" } },
      ),
  );
  mountInstall(app, { originReader, services, packCli: options.packCli });
  /** Returns the key under which the rate limiter counts a request. */
  function toCallerKey({ headers }: IncomingMessage, origin: RequestOrigin): string {
    const page = headers["x-merkle-page"]?.toString();
    const secret = readBearer(headers.authorization) ?? readBrowserToken(headers.cookie, page, origin);
    return limiter.toCallerKey(origin.address, secret && toTokenName(secret));
  }

  /** Checks a request's host, origin and rate limit before any transport handles it. */
  function refuse(
    request: IncomingMessage,
    origin: RequestOrigin,
    caller: string,
    admit: (caller: string) => void,
  ): MerkleError | null {
    try {
      checkHosts(request, origin);
      admit(caller);
      return null;
    } catch (error) {
      return toMerkleError(error, services.log, { path: origin.target, client: origin.address });
    }
  }

  /**
   * Refuses a compressed body without reading it, because a few bytes could expand to more than fits into
   * memory (GUARD-10).
   */
  function refuseCompressed({ headers }: IncomingMessage): MerkleError | null {
    const encoding = headers["content-encoding"];
    if (encoding === undefined || encoding.toLowerCase() === "identity") return null;
    return new MerkleError(
      "bad_request",
      "Compressed bodies are not accepted. Send the body without Content-Encoding.",
    );
  }

  function checkHosts({ headersDistinct }: IncomingMessage, origin: RequestOrigin): void {
    try {
      hosts.check(origin);
      if (services.isLoopbackOnly) refuseProxied(headersDistinct);
    } catch (error) {
      services.metrics.refusals.inc({ by: "foreign" });
      throw error;
    }
  }

  if (options.dashboard !== undefined) await mountDashboard(app, options.dashboard, options.pageBuild);
  app.notFound((c) => refuseCaller(c, noSuchRoute(c.req.method, c.req.path)));
  app.onError((error, c) => {
    const { address } = originReader.read(c.env.incoming);
    return refuseCaller(c, toMerkleError(error, services.log, { path: c.req.path, client: address }));
  });

  const serve = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: () => toErrorResponse(notUnderstood()),
  });
  const limitConcurrency = createConcurrencyLimit(concurrencyBounds);
  function serveWithinLimit(caller: string, response: ServerResponse, begin: () => void): void {
    if (limiter.rates) limitConcurrency(caller, response, begin);
    else begin();
  }

  /**
   * Connections on which a request was refused. Each connection ends after the refusal, and further requests
   * on it are ignored.
   */
  const refusedSockets = new WeakSet<Duplex>();
  /** The response to the last request on each connection. */
  const lastAnswers = new WeakMap<Duplex, ServerResponse>();
  const { server, abandonHandshakes } = await createListener(options, (request, response) => {
    if (request.socket.destroyed || refusedSockets.has(request.socket)) return;
    lastAnswers.set(request.socket, response);
    const origin = originReader.read(request);
    const caller = toCallerKey(request, origin);
    // If a page from another site loads this response, the page learns only that loading failed.
    response.setHeader("cross-origin-resource-policy", "same-origin");
    // Prevents browsers from executing a response as a script or page because of text that a user has
    // written.
    response.setHeader("x-content-type-options", "nosniff");
    if (options.certificate && isBeyondLoopback(origin)) response.setHeader(...transportSecurity);
    // Lets a client with another version find out why the broker does not understand it.
    response.setHeader("merkle-version", version);
    response.setHeader(buildHeader, buildNumber);
    const refusal = refuse(request, origin, caller, limiter.admit) ?? refuseCompressed(request);
    if (!refusal) return serveWithinLimit(caller, response, () => void serve(request, response));
    refusedSockets.add(request.socket);
    refuseRequest(response, refusal);
  });
  limitPipelining(server, limits.pipelinedRequestsMax);
  if (limiter.rates) {
    limitConnections(server, {
      perAddressMax: limits.connectionsPerAddressMax,
      addressOf: originReader.findAddress,
      metrics: services.metrics,
    });
  }
  server.on("clientError", (error, socket) => {
    const last = lastAnswers.get(socket);
    // Behind a proxy, this reply would reach the next caller on the connection, although another caller sent
    // the invalid bytes.
    const isAnothers = last !== undefined && isParseError(error);
    if (refusedSockets.has(socket) || isAnothers || isAnswering(last)) socket.destroy();
    else refuseMalformed(error, socket, options.deadlines);
  });
  const webSockets = createWebSocketTransport({
    services,
    authenticator,
    isOwnOrigin: hosts.isOwnOrigin,
    heartbeatMs,
    helloMs: options.deadlines.helloMs,
    frameMs: options.deadlines.requestMs,
    connectionsMax,
  });
  server.on("upgrade", (request, socket, head) => {
    // If an upgraded socket breaks, it closes itself. Without this listener its error would be unhandled,
    // because Node no longer listens on the socket.
    socket.on("error", () => undefined);
    const origin = originReader.read(request);
    try {
      const refusal = refuse(request, origin, toCallerKey(request, origin), limiter.admitUpgrade);
      if (refusal) throw refusal;
      if (services.stopping.aborted)
        throw new MerkleError("unavailable", "The broker is stopping.", { retry_after_s: 2 });
      if (toPath(request.url) !== "/ws") throw noSuchRoute("WebSocket at", toPath(request.url));
      webSockets.upgrade(request, socket, head, origin);
    } catch (error) {
      const about = { path: request.url, client: origin.address };
      refuseUpgrade(socket, toMerkleError(error, services.log, about));
    }
  });

  return {
    server,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Without this sweep, connections that become idle during the shutdown would stay open to wait for
      // another request.
      const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs);
      const deadline = setTimeout(() => server.closeAllConnections(), drainDeadlineMs);
      abandonHandshakes();
      await Promise.all([webSockets.stop(), mcp.stop(), closed]);
      clearInterval(sweep);
      clearTimeout(deadline);
    },
  };
}

/**
 * Tells browsers to use https for half a year (RFC 6797), so that they do not fall back to unencrypted http
 * on their next visit.
 */
const transportSecurity = ["strict-transport-security", "max-age=15552000"] as const;

/**
 * Returns whether a request was sent to a host other than loopback. Browsers apply Strict-Transport-Security
 * to every port of a host, and `localhost` also serves the user's own development servers.
 */
function isBeyondLoopback({ host = "" }: RequestOrigin): boolean {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return name !== "[::1]" && !isLoopback(name) && !name.endsWith(".localhost");
}

function refuseCaller({ req }: HttpContext, error: MerkleError): Response {
  return toErrorResponse(adviseOlderClient(error, req.header(buildHeader)));
}

interface Listener {
  readonly server: Server;
  abandonHandshakes(): void;
}

async function createListener(
  { certificate, deadlines }: ListenerOptions,
  onRequest: RequestListener,
): Promise<Listener> {
  const options = {
    // The host guard refuses a missing Host header in the same way as an unknown host.
    requireHostHeader: false,
    // Ends requests that are sent very slowly in order to occupy a connection.
    headersTimeout: deadlines.requestHeadersMs,
    requestTimeout: deadlines.requestMs,
    connectionsCheckingInterval: slowRequestsCheckMs,
  };
  if (!certificate) return { server: createServer(options, onRequest), abandonHandshakes: () => undefined };
  const { createTlsListener } = await import("./tls/listener.js");
  const listener = createTlsListener({ certificate: certificate.current, options, onRequest });
  certificate.onRenewed(listener.renew);
  return listener;
}

function refuseRequest(response: ServerResponse, error: MerkleError): void {
  const body = JSON.stringify(error.toBody());
  response
    .writeHead(error.status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      connection: "close",
      ...toRetryAfterHeader(error),
    })
    .end(body);
}

function isParseError({ code = "" }: NodeJS.ErrnoException): boolean {
  return code.startsWith("HPE_");
}

function notUnderstood(): MerkleError {
  return new MerkleError("bad_request", "This is not a valid HTTP request.");
}

function tooSlow({ requestHeadersMs, requestMs }: Deadlines): MerkleError {
  return new MerkleError(
    "bad_request",
    `The request took too long: its headers must arrive within ${requestHeadersMs / 1_000} s, and all of it within ${requestMs / 1_000} s.`,
  );
}

/**
 * Returns whether the client would mistake an error sent now for the pending reply or a part of it. This is the
 * case if the pending reply has begun or is still to come, unless it is the reply to the request that cannot be
 * parsed.
 */
function isAnswering(last: ServerResponse | undefined): boolean {
  if (!last || last.writableFinished) return false;
  return last.headersSent || last.req.complete || last.socket === null;
}

/**
 * Replies once to input that is not HTTP, if the client can still read. A client that has sent nothing gets
 * no reply, because browsers open connections in advance and would take the error for the reply to their next
 * request.
 */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex, deadlines: Deadlines): void {
  const hasSent = !("bytesRead" in socket) || socket.bytesRead !== 0;
  if (error.code === "ECONNRESET" || !hasSent || !socket.writable) {
    socket.destroy();
    return;
  }
  refuseUpgrade(socket, error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? tooSlow(deadlines) : notUnderstood());
}

function toPath(url: string | undefined): string {
  return (url ?? "").split("?")[0] ?? "";
}
