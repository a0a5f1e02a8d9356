import type { IncomingMessage } from "node:http";
import { type Imported, MerkleError } from "@merkle/wire";
import { openZipBundle, UnreadableZip, type ZippedFiles } from "@merkle/wire/record/zip";
import type { Context } from "../context.js";
import { refuseUnverified } from "./refuse-unverified.js";
import { spool } from "./spool.js";
import { storeRecord } from "./store-record.js";

/**
 * Brings a session from another broker, or another mesh, into this one, to be read (IMPORT-1). All of it is verified before
 * anything is written, and all of it is written or nothing. The same bundle again changes nothing, a later one of the same
 * session adds what it has more.
 *
 * @throws bad_request for what does not verify; conflict where another record of the same id is here
 */
export async function importBundle(ctx: Context, incoming: IncomingMessage): Promise<Imported> {
  const { services } = ctx;
  const file = await spool(incoming, services.home);
  try {
    const bundle = await openBundle(file);
    ctx.signal.throwIfAborted();
    const report = await refuseUnverified(bundle, ctx);
    return await storeRecord(services, bundle, report);
  } finally {
    await file.remove();
  }
}

async function openBundle(file: Parameters<typeof openZipBundle>[0]): Promise<ZippedFiles> {
  try {
    return await openZipBundle(file);
  } catch (error) {
    if (!(error instanceof UnreadableZip)) throw error;
    throw new MerkleError("bad_request", `This is no bundle. ${error.message}`);
  }
}
