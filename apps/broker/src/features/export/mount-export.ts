import type { HttpBindings } from "@hono/node-server";
import type { ExportFormat } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { exportSession as exportOperation } from "@merkle/wire/schemas";
import type { Hono } from "hono";
import { toMerkleError } from "../../core/to-merkle-error.js";
import { refuseUnauthenticated } from "../../sessions/access/authorize.js";
import type { SessionContext } from "../../sessions/context.js";
import { openCall } from "../../transports/dispatch.js";
import { createCallerSignal } from "../../transports/http/admit.js";
import { cancelIfStalled } from "../../transports/http/cancel-if-stalled.js";
import type { MountParts } from "../../transports/http/mount.js";
import { readQuery, toSearchParams } from "../../transports/http/read-query.js";
import type { Services } from "../../transports/services.js";
import { exportSession } from "./export-session.js";
import { openRecord } from "./exported-record.js";
import type { ExportServices } from "./services.js";

/** Adds the route that streams a record as a file, no matter how long that takes (EXPORT-1). */
export function mountExport(
  app: Hono<{ Bindings: HttpBindings }>,
  { services: { recordPage }, admit }: MountParts<ExportServices & Services>,
): void {
  app.get("/api/sessions/:session_id/export", async (c) => {
    const { principal, services, address } = await admit(c);
    refuseUnauthenticated(exportOperation, principal);
    const query = readQuery(toSearchParams(c.env.incoming.url), exportOperation);
    const { ctx, holder, input } = await openCall(services, {
      operation: exportOperation,
      principal,
      address,
      input: { ...query, session_id: c.req.param("session_id") },
      transport: "rest",
      view: "json",
      signal: createCallerSignal(c),
      credential: c.req.header("x-team-id"),
    });
    // openCall has parsed the input with the operation's schema and found the session.
    const { session } = ctx as SessionContext<ExportServices & Services>;
    const slot = services.shares.take("export", holder);
    try {
      const format = input["as"] as ExportFormat;
      const recorded = await slot.run(() => openRecord(services, session, format), ctx.signal);
      const { bytes, contentType, fileName } = exportSession(
        services,
        { session, recorded },
        format,
        recordPage(),
      );
      const body = cancelIfStalled(bytes, {
        bytesPerSecondMin: limits.transferBytesPerSecondMin,
        windowMs: limits.transferWindowMs,
        runWork: slot.run,
        onEnd: slot.release,
        onError: (error) => services.log.error("an export failed", { session: session.slug, error }),
      });
      return new Response(body as globalThis.ReadableStream<Uint8Array>, {
        headers: {
          "content-type": contentType,
          "content-disposition": `attachment; filename="${fileName}"`,
          "cache-control": "no-store",
        },
      });
    } catch (error) {
      slot.release();
      throw toMerkleError(error, services.log, { operation: exportOperation.name, transport: "rest" });
    }
  });
}
