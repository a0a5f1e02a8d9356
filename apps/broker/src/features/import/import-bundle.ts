import type { IncomingMessage } from "node:http";
import { type ImportResult, MerkleError } from "@merkle/wire";
import { extractBundle } from "@merkle/wire/record/html";
import { openZipBundle } from "@merkle/wire/record/zip";
import type { OperationSlot } from "../../identity/limits/shares.js";
import type { Context } from "../../sessions/context.js";
import type { SealServices } from "../seal/feature.js";
import { type SpooledFile, spool } from "./spool.js";
import { storeRecord } from "./store-record.js";
import { type VerifiedBundle, verifyBundleTask } from "./verify-bundle-file.js";

/**
 * Imports a session from another broker or mesh as a readable copy (IMPORT-1). The whole bundle is verified
 * first, and then stored completely or not at all. Only the record in an HTML export is used. Importing the
 * same bundle again changes nothing; a later bundle of the same session adds the new entries.
 *
 * @throws bad_request if the bundle does not verify; conflict if this mesh has a different record with the
 *   same id
 */
export async function importBundle(
  ctx: Context<SealServices>,
  incoming: IncomingMessage,
  { place: slot, ownPage }: { readonly place: Pick<OperationSlot, "run">; readonly ownPage: string | null },
): Promise<ImportResult> {
  const { services } = ctx;
  const file = await spool(incoming, services.home);
  try {
    return await slot.run(async () => {
      const report = await refuseUnverified(file, ctx, ownPage);
      ctx.signal.throwIfAborted();
      const stored = await storeRecord(services, await openZipBundle(await extractBundle(file)), report);
      return { ...stored, page: report.page };
    }, ctx.signal);
  } finally {
    await file.remove();
  }
}

/** Maximum number of problems that the error lists. `merkle verify` lists all of them. */
const findingsReportedMax = 10;

/** Time limit for verifying a bundle. A million messages take a few minutes. */
const verifyMsMax = 30 * 60_000;

/** Verifies a whole bundle in a worker thread, so that other callers need not wait (IMPORT-7). */
export function verifySpooled(
  { path }: SpooledFile,
  { signal, services }: Pick<Context<SealServices>, "signal" | "services">,
  ownPage: string | null = null,
): Promise<VerifiedBundle | { readonly unreadable: string }> {
  return services.workers.run(
    verifyBundleTask,
    { path, ownPage },
    { signal, timeoutMs: verifyMsMax, needsOwnThread: true },
  );
}

/** @throws bad_request with the first problem */
async function refuseUnverified(
  file: SpooledFile,
  ctx: Context<SealServices>,
  ownPage: string | null,
): Promise<VerifiedBundle> {
  const report = await verifySpooled(file, ctx, ownPage);
  if ("unreadable" in report)
    throw new MerkleError("bad_request", `This is not a bundle. ${report.unreadable}`);
  if (!report.ok) {
    const [first] = report.findings;
    throw new MerkleError(
      "bad_request",
      `The bundle does not verify, so nothing was imported. ${first?.message ?? ""}`.trimEnd(),
      { findings: report.findings.slice(0, findingsReportedMax) },
    );
  }
  if (report.session === null) {
    throw new MerkleError(
      "bad_request",
      `The bundle does not prove who wrote its title and roster, so nothing was imported. ${report.unproven.join(" ")} Ask for a new export from the broker that it comes from.`,
      { unproven: report.unproven },
    );
  }
  return report;
}
