import type { HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import { toAddressBlock } from "../../core/address-block.js";
import { toMerkleError } from "../../core/to-merkle-error.js";
import { toShareHolder } from "../../identity/limits/shares.js";
import { admitCaller } from "../../sessions/access/admit-caller.js";
import type { Admit, HttpContext } from "../http/admit.js";
import type { BodyReader } from "../http/read-json-body.js";
import type { Services } from "../services.js";
import { createMcpMount } from "./mount.js";
import { rpcCodes, toRpcErrorResponse } from "./rpc-response.js";
import { createMcpSessionStore } from "./session-store.js";
import { createToolsServers } from "./tools-server.js";
import { readUrlOptions } from "./url-options.js";

/** Serves every operation as an MCP tool over Streamable HTTP (MCP-1). */
export function mountMcp(
  app: Hono<{ Bindings: HttpBindings }>,
  services: Services,
  {
    admit,
    bodies,
    findMetadataUrl,
  }: {
    readonly admit: Admit;
    readonly bodies: BodyReader;
    readonly findMetadataUrl: (path: string) => string | null;
  },
): { stop(): Promise<void> } {
  const toError = (error: unknown) => toMerkleError(error, services.log, { transport: "mcp" });
  const mount = createMcpMount({
    createServer: createToolsServers(services),
    admit,
    permit: (operation, { services: ofMesh, principal }) => admitCaller(ofMesh, { operation, principal }, {}),
    hold: services.revocations.watch,
    takeStream: ({ principal, address }) =>
      services.shares.take("stream", toShareHolder(principal, undefined, toAddressBlock(address))).release,
    store: createMcpSessionStore(services.database),
    ...(!services.nodes.isAlone && {
      confirmMs: 5_000,
      others: { bus: services.bus, settle: services.nodes.settle },
    }),
    bodies,
    toError,
    findMetadataUrl,
    // Loaded on the first request that uses the sessionless protocol revision, because most brokers have no
    // such clients at startup.
    openStateless: async () => (await import("./stateless-server.js")).createStatelessServer(services),
  });

  function serve(c: HttpContext): Response | Promise<Response> {
    try {
      readUrlOptions(new URL(c.req.url), { isStateless: false });
    } catch (error) {
      return toRpcErrorResponse(toError(error), rpcCodes.invalidRequest);
    }
    return mount.handle(c);
  }

  for (const path of ["/mcp", "/api/mcp"]) app.all(path, serve);
  return { stop: () => mount.stop() };
}
