import type { IncomingMessage } from "node:http";
import type { Imported } from "@merkle/wire";
import { openZipBundle } from "@merkle/wire/record/zip";
import type { Context } from "../../sessions/context.js";
import type { RecordServices } from "../services.js";
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
export async function importBundle(
  ctx: Context<RecordServices>,
  incoming: IncomingMessage,
): Promise<Imported> {
  const { services } = ctx;
  const file = await spool(incoming, services.home);
  try {
    const report = await refuseUnverified(file, ctx);
    ctx.signal.throwIfAborted();
    return await storeRecord(services, await openZipBundle(file), report);
  } finally {
    await file.remove();
  }
}
