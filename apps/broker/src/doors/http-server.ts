import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { MerkleError } from "@merkle/wire";
import { Hono } from "hono";
import type { HostGuard } from "../access/hosts.js";
import type { Services } from "../context.js";
import { toMerkleError } from "../to-merkle-error.js";
import { renderAgentsPage } from "./agents-page.js";
import { mountDashboard } from "./dashboard.js";
import { checkHealth } from "./health.js";
import { jsonResponse, noSuchRoute, toErrorResponse } from "./http-error.js";
import { mountMcp } from "./mcp/mount-mcp.js";
import { createOpenApi } from "./openapi.js";
import { mountRest } from "./rest.js";
import { createWebSocketDoor, refuseUpgrade } from "./websocket/websocket-door.js";

export interface HttpServer {
  readonly server: Server;
  /** Takes no new calls, lets those under way finish, and closes every connection. */
  stop(): Promise<void>;
}

export interface HttpServerOptions {
  readonly services: Services;
  readonly hosts: HostGuard;
  readonly heartbeatMs: number;
  readonly connectionsMax?: number | undefined;
  /** A folder of static pages, served at `/`. */
  readonly dashboard: string | undefined;
}

const drainDeadlineMs = 5_000;
const idleSweepMs = 20;

/** One server for all doors: REST, MCP, WebSocket, and the pages and documents beside them (OPS-1). */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { services, hosts, heartbeatMs, connectionsMax } = options;
  const { addresses, version, settings } = services;
  const app = new Hono<{ Bindings: HttpBindings }>();

  mountRest(app, services);
  const mcp = mountMcp(app, services);
  app.get("/health", async () => {
    const health = await checkHealth(services);
    const response = jsonResponse(health);
    return health.ready && health.durable
      ? response
      : new Response(response.body, { status: 503, headers: response.headers });
  });
  app.get(
    "/metrics",
    async () =>
      new Response(await services.metrics.render(), {
        headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
      }),
  );
  app.get("/openapi.json", () => jsonResponse(createOpenApi({ baseUrl: addresses.base(), version })));
  app.get(
    "/agents.md",
    () =>
      new Response(
        renderAgentsPage({
          mcpUrl: addresses.mcp(),
          baseUrl: addresses.base(),
          idlePolls: settings.current.idle_polls,
        }),
        { headers: { "content-type": "text/markdown; charset=utf-8" } },
      ),
  );
  /** The guard in front of every door. A header given twice counts in full, so that no part of it slips through. */
  function checkHosts({ headersDistinct, url = "" }: IncomingMessage): MerkleError | null {
    try {
      hosts.check({
        host: headersDistinct["host"]?.join(),
        origin: headersDistinct["origin"]?.join(),
        target: url,
      });
      return null;
    } catch (error) {
      return toMerkleError(error, services.log, { path: url });
    }
  }
  if (options.dashboard !== undefined) await mountDashboard(app, options.dashboard);
  app.notFound((c) => toErrorResponse(noSuchRoute(c.req.method, c.req.path)));
  app.onError((error, c) => toErrorResponse(toMerkleError(error, services.log, { path: c.req.path })));

  const serve = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: () => toErrorResponse(notUnderstood()),
  });
  // A missing Host is refused like a foreign one, by the guard.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    const refusal = checkHosts(request);
    if (refusal) refuseRequest(response, refusal);
    else void serve(request, response);
  });
  server.on("clientError", refuseMalformed);
  const webSockets = createWebSocketDoor({ services, heartbeatMs, connectionsMax });
  server.on("upgrade", (request, socket, head) => {
    try {
      const refusal = checkHosts(request);
      if (refusal) throw refusal;
      if (services.stopping.aborted)
        throw new MerkleError("unavailable", "The broker is stopping.", { retry_after_s: 2 });
      if (pathOf(request.url) !== "/ws") throw noSuchRoute("WebSocket at", pathOf(request.url));
      webSockets.upgrade(request, socket, head);
    } catch (error) {
      refuseUpgrade(socket, toMerkleError(error, services.log, { path: request.url }));
    }
  });

  return {
    server,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection whose last call is answered while we stop would otherwise be kept open for the next one.
      const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs);
      const deadline = setTimeout(() => server.closeAllConnections(), drainDeadlineMs);
      await Promise.all([webSockets.stop(), mcp.stop(), closed]);
      clearInterval(sweep);
      clearTimeout(deadline);
    },
  };
}

function refuseRequest(response: ServerResponse, error: MerkleError): void {
  const body = JSON.stringify(error.toBody());
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  response.writeHead(error.status, { ...headers, connection: "close" }).end(body);
}

function notUnderstood(): MerkleError {
  return new MerkleError("bad_request", "This is no HTTP request that the broker understands.");
}

/** What is not even HTTP gets an answer of its own, once, if somebody can still read it. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  refuseUpgrade(socket, notUnderstood());
}

function pathOf(url: string | undefined): string {
  return (url ?? "").split("?")[0] ?? "";
}
