import type { HttpBindings } from "@hono/node-server";
import { getCheckpoint as checkpointOperation } from "@merkle/wire/schemas";
import type { Hono } from "hono";
import { refuseUnauthenticated } from "../../sessions/access/authorize.js";
import type { Context } from "../../sessions/context.js";
import { openCall } from "../../transports/dispatch.js";
import { createCallerSignal } from "../../transports/http/admit.js";
import type { MountParts } from "../../transports/http/mount.js";
import type { Services } from "../../transports/services.js";
import { getCheckpoint } from "./read-log.js";
import type { WitnessServices } from "./services.js";

/** Adds the newest checkpoint as text, at the path at which clients of C2SP's logs look for it (WITNESS-8). */
export function mountCheckpoint(
  app: Hono<{ Bindings: HttpBindings }>,
  { admit }: MountParts<WitnessServices & Services>,
): void {
  app.get("/log/checkpoint", async (c) => {
    const { principal, services, address } = await admit(c);
    refuseUnauthenticated(checkpointOperation, principal);
    const { ctx } = await openCall(services, {
      operation: checkpointOperation,
      principal,
      address,
      input: {},
      transport: "rest",
      view: "json",
      signal: createCallerSignal(c),
      credential: c.req.header("x-team-id"),
    });
    const { note } = await getCheckpoint(ctx as Context<WitnessServices>);
    return c.text(note, 200, { "cache-control": "no-store" });
  });
}
