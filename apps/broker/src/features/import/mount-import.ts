import type { HttpBindings } from "@hono/node-server";
import { importBundle as importOperation } from "@merkle/wire/schemas";
import type { Hono } from "hono";
import { toMerkleError } from "../../core/to-merkle-error.js";
import { refuseUnauthenticated } from "../../sessions/access/authorize.js";
import { openCall } from "../../transports/dispatch.js";
import { createCallerSignal, type HttpContext } from "../../transports/http/admit.js";
import { toJsonResponse } from "../../transports/http/http-error.js";
import type { MountParts } from "../../transports/http/mount.js";
import type { Services } from "../../transports/services.js";
import type { ExportServices } from "../export/feature.js";
import { importBundle } from "./import-bundle.js";

/** Adds the route that receives a record as a file, no matter how long that takes (IMPORT-1). */
export function mountImport(
  app: Hono<{ Bindings: HttpBindings }>,
  { services: { recordPage }, admit }: MountParts<ExportServices & Services>,
): void {
  app.post("/api/import", async (c) => toJsonResponse(await handleImport(c)));

  async function handleImport(c: HttpContext): Promise<unknown> {
    const { principal, services, address } = await admit(c);
    refuseUnauthenticated(importOperation, principal);
    const signal = createCallerSignal(c);
    const { ctx, holder } = await openCall(services, {
      operation: importOperation,
      principal,
      address,
      input: {},
      transport: "rest",
      view: "json",
      signal,
    });
    const slot = services.shares.take("import", holder);
    try {
      return await importBundle(ctx, c.env.incoming, { place: slot, ownPage: recordPage()?.sha256 ?? null });
    } catch (error) {
      throw toMerkleError(error, services.log, { operation: importOperation.name, transport: "rest" });
    } finally {
      slot.release();
    }
  }
}
