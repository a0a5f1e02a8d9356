import type { HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import type { Services } from "../../context.js";
/* placeholder until the MCP door lands here in a few minutes: replace freely */
export function mountMcp(
  _app: Hono<{ Bindings: HttpBindings }>,
  _services: Services,
): { stop(): Promise<void> } {
  return { stop: async () => undefined };
}
