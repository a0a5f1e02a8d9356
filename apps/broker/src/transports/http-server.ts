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
import { nameOfToken } from "../identity/tokens/token.js";
import { admitCaller } from "../sessions/access/admit-caller.js";
import { boundConnections } from "./guard/bound-connections.js";
import { boundPipelining } from "./guard/bound-pipelining.js";
import { createAdmit, type HttpContext } from "./http/admit.js";
import { mountDashboard } from "./http/dashboard.js";
import { checkHealth } from "./http/health.js";
import {
  adviseOlderClient,
  jsonResponse,
  noSuchRoute,
  refuseUpgrade,
  retryAfter,
  toErrorResponse,
} from "./http/http-error.js";
import { mountInstall } from "./http/install.js";
import type { Mount } from "./http/mount.js";
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
  /** Takes no new calls, lets those under way finish, and closes every connection. */
  stop(): Promise<void>;
}

export interface HttpServerOptions<All extends Services> extends ListenerOptions {
  readonly meshes: Meshes<All>;
  readonly authenticator: Authenticator<All>;
  /** The routes that features add. */
  readonly mounts: readonly Mount<All>[];
  /** The address where a program learns how to be let in to the MCP endpoint at this path; null where it cannot. */
  readonly metadataUrl: (path: string) => string | null;
  readonly hosts: HostGuard;
  readonly originReader: OriginReader;
  readonly heartbeatMs: number;
  readonly connectionsMax?: number | undefined;
  /** A folder of static pages, served at `/`. */
  readonly dashboard: string | undefined;
  readonly pageBuild?: PageBuild | undefined;
  /** Packs the CLI that the broker serves. */
  readonly packCli?: (() => Promise<Uint8Array>) | undefined;
}

interface ListenerOptions {
  /** Makes the port speak TLS, and nothing else. */
  readonly certificate?: HeldCertificate | undefined;
  readonly deadlines: Deadlines;
}

/** How long the broker waits for what a client has begun; who takes longer is cut off. */
export interface Deadlines {
  readonly requestHeadersMs: number;
  readonly requestMs: number;
  readonly helloMs: number;
}

/** Requests of one address that may be under way. A browser has six at once, of which most are answered in a millisecond or two. */
const inServiceBounds = { countMax: 4, countedMs: 50 } as const;
const drainDeadlineMs = 5_000;
const idleSweepMs = 20;
const slowRequestsCheckMs = 1_000;

/** One server for all transports: REST, MCP, WebSocket, and the pages and documents beside them (OPS-1). */
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
    metadataUrl: options.metadataUrl,
  });
  for (const mount of options.mounts) mount(app, { services, admit, bodies });
  app.get("/health", async () => {
    const health = await checkHealth(services);
    const response = jsonResponse(health);
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
  // Public, as every signature is: whoever checks a record elsewhere need not be a member here.
  app.get("/.well-known/merkle-audit-key", () => {
    const response = jsonResponse({ keys: services.signer.keys });
    response.headers.set("cache-control", "public, max-age=300");
    return response;
  });
  app.get("/openapi.json", () => jsonResponse(createOpenApi({ baseUrl: addresses.base(), version })));
  app.get(
    "/agents.md",
    () =>
      new Response(
        renderAgentsPage({
          auth: services.auth,
          mcpUrl: addresses.mcp(),
          baseUrl: addresses.base(),
          keyPin: addresses.keyPin(),
          idlePolls: settings.current.idle_polls,
        }),
        { headers: { "content-type": "text/markdown; charset=utf-8" } },
      ),
  );
  mountInstall(app, { originReader, services, packCli: options.packCli });
  /** The caller that a request counts for. */
  function callerOf({ headers }: IncomingMessage, origin: RequestOrigin): string {
    const page = headers["x-merkle-page"]?.toString();
    const secret = readBearer(headers.authorization) ?? readBrowserToken(headers.cookie, page, origin);
    return limiter.callerOf(origin.address, secret && nameOfToken(secret));
  }

  /** The guard in front of every transport: who is meant, whose page asks, and whether its address asks too often. */
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

  /** Refuses a compressed body unread: a few bytes of it could become more than there is room for (GUARD-10). */
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
      if (services.loopbackOnly) refuseProxied(headersDistinct);
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
  const limitConcurrency = createConcurrencyLimit(inServiceBounds);
  function inService(caller: string, response: ServerResponse, begin: () => void): void {
    if (limiter.rates) limitConcurrency(caller, response, begin);
    else begin();
  }

  /** Connections of which a request was refused: they end with that answer, and what comes behind it is not heard. */
  const refused = new WeakSet<Duplex>();
  /** The answer to each connection's last request. */
  const lastAnswers = new WeakMap<Duplex, ServerResponse>();
  const { server, abandonHandshakes } = await createListener(options, (request, response) => {
    if (request.socket.destroyed || refused.has(request.socket)) return;
    lastAnswers.set(request.socket, response);
    const origin = originReader.read(request);
    const caller = callerOf(request, origin);
    // Whatever the answer is, a page of another site that loads it learns only that loading failed.
    response.setHeader("cross-origin-resource-policy", "same-origin");
    // No answer is run as a script or a page because of what somebody wrote in it.
    response.setHeader("x-content-type-options", "nosniff");
    if (options.certificate && isBeyondLoopback(origin)) response.setHeader(...transportSecurity);
    // A client of another version knows by it why it is not understood.
    response.setHeader("merkle-version", version);
    response.setHeader(buildHeader, buildNumber);
    const refusal = refuse(request, origin, caller, limiter.admit) ?? refuseCompressed(request);
    if (!refusal) return inService(caller, response, () => void serve(request, response));
    refused.add(request.socket);
    refuseRequest(response, refusal);
  });
  boundPipelining(server, limits.pipelinedRequestsMax);
  if (limiter.rates) {
    boundConnections(server, {
      perAddressMax: limits.connectionsPerAddressMax,
      addressOf: originReader.addressOf,
      metrics: services.metrics,
    });
  }
  server.on("clientError", (error, socket) => {
    const last = lastAnswers.get(socket);
    // Behind a proxy, the next caller on this connection would read the answer to bytes that are not its own.
    const isAnothers = last !== undefined && isParseError(error);
    if (refused.has(socket) || isAnothers || isAnswering(last)) socket.destroy();
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
    // One that breaks ends by itself; Node has nobody else hear of it from here on.
    socket.on("error", () => undefined);
    const origin = originReader.read(request);
    try {
      const refusal = refuse(request, origin, callerOf(request, origin), limiter.admitUpgrade);
      if (refusal) throw refusal;
      if (services.stopping.aborted)
        throw new MerkleError("unavailable", "The broker is stopping.", { retry_after_s: 2 });
      if (pathOf(request.url) !== "/ws") throw noSuchRoute("WebSocket at", pathOf(request.url));
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
      // A connection whose last call is answered while we stop would otherwise be kept open for the next one.
      const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs);
      const deadline = setTimeout(() => server.closeAllConnections(), drainDeadlineMs);
      abandonHandshakes();
      await Promise.all([webSockets.stop(), mcp.stop(), closed]);
      clearInterval(sweep);
      clearTimeout(deadline);
    },
  };
}

/** Half a year of https (RFC 6797): a browser that was here once is not led to clear text on its next visit. */
const transportSecurity = ["strict-transport-security", "max-age=15552000"] as const;

/** Browsers apply the header to every port of a name, and `localhost` also serves what its user develops. */
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
    // A missing Host is refused like a foreign one, by the guard.
    requireHostHeader: false,
    // A request that is sent drop by drop holds its connection for so long, and no longer.
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
      ...retryAfter(error),
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
 * Whether another answer would be taken for a part of this one, or for it: it has begun, or is still to come, as those before
 * it are. Not so where its own request is what cannot be read.
 */
function isAnswering(last: ServerResponse | undefined): boolean {
  if (!last || last.writableFinished) return false;
  return last.headersSent || last.req.complete || last.socket === null;
}

/**
 * Answers once what is not even HTTP, if somebody can still read it. A client that has sent nothing gets no answer: browsers
 * open connections before they need them, and would take it for the answer to what they ask next.
 */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex, deadlines: Deadlines): void {
  const hasSent = !("bytesRead" in socket) || socket.bytesRead !== 0;
  if (error.code === "ECONNRESET" || !hasSent || !socket.writable) {
    socket.destroy();
    return;
  }
  refuseUpgrade(socket, error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? tooSlow(deadlines) : notUnderstood());
}

function pathOf(url: string | undefined): string {
  return (url ?? "").split("?")[0] ?? "";
}
