import type { HttpBindings } from "@hono/node-server";
import { limits } from "@merkle/wire/limits";
import { exportSession as exportOperation, importBundle as importOperation } from "@merkle/wire/schemas";
import type { Hono } from "hono";
import { toMerkleError } from "../../core/to-merkle-error.js";
import { exportSession } from "../../record/export/export-session.js";
import type { RecordPage } from "../../record/export/record-page.js";
import { type ExportForm, openRecorded } from "../../record/export/recorded.js";
import { unlessStalled } from "../../record/export/unless-stalled.js";
import { importBundle } from "../../record/import/import-bundle.js";
import type { RecordServices } from "../../record/services.js";
import { refuseStranger } from "../../sessions/access/authorize.js";
import type { SessionContext } from "../../sessions/context.js";
import { openCall } from "../dispatch.js";
import type { Services } from "../services.js";
import { callerSignal, type HttpContext } from "./admit.js";
import { jsonResponse } from "./http-error.js";
import type { MountParts } from "./mount.js";
import { queryOf, readQuery } from "./read-query.js";

export interface FileServices extends Services, RecordServices {
  readonly recordPage: () => RecordPage | null;
}

/** Mounts the routes that give out or take in files, as long as that takes (EXPORT-1, IMPORT-1). */
export function mountFiles(
  app: Hono<{ Bindings: HttpBindings }>,
  { services: { recordPage }, admit }: MountParts<FileServices>,
): void {
  app.get("/api/sessions/:session_id/export", async (c) => {
    const { principal, services, address } = await admit(c);
    refuseStranger(exportOperation, principal);
    const query = readQuery(queryOf(c.env.incoming.url), exportOperation);
    const { ctx, holder, input } = await openCall(services, {
      operation: exportOperation,
      principal,
      address,
      input: { ...query, session_id: c.req.param("session_id") },
      transport: "rest",
      view: "json",
      signal: callerSignal(c),
      credential: c.req.header("x-team-id"),
    });
    // The operation's own schema has parsed the input, and its session was found.
    const { session } = ctx as SessionContext<FileServices>;
    const place = services.shares.take("export", holder);
    try {
      const form = input["as"] as ExportForm;
      const recorded = await place.work(() => openRecorded(services, session, form), ctx.signal);
      const { bytes, contentType, fileName } = exportSession(
        services,
        { session, recorded },
        form,
        recordPage(),
      );
      const body = unlessStalled(bytes, {
        bytesPerSecondMin: limits.transferBytesPerSecondMin,
        windowMs: limits.transferWindowMs,
        work: place.work,
        onEnd: place.leave,
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
      place.leave();
      throw toMerkleError(error, services.log, { operation: exportOperation.name, transport: "rest" });
    }
  });

  app.post("/api/import", async (c) => jsonResponse(await takeIn(c)));

  async function takeIn(c: HttpContext): Promise<unknown> {
    const { principal, services, address } = await admit(c);
    refuseStranger(importOperation, principal);
    const signal = callerSignal(c);
    const { ctx, holder } = await openCall(services, {
      operation: importOperation,
      principal,
      address,
      input: {},
      transport: "rest",
      view: "json",
      signal,
    });
    const place = services.shares.take("import", holder);
    try {
      return await importBundle(ctx, c.env.incoming, { place, ownPage: recordPage()?.sha256 ?? null });
    } catch (error) {
      throw toMerkleError(error, services.log, { operation: importOperation.name, transport: "rest" });
    } finally {
      place.leave();
    }
  }
}
