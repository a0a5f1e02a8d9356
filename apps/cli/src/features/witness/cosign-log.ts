import { encodeCosignature, findCosignedAt, formatSignatureLine, joinCosignature } from "@merkle/wire/record";
import { nodeCrypto } from "../../core/node-crypto.js";
import { type CheckLogOptions, cannotVerify, checkLog, explainShapeErrors } from "./check-log.js";
import type { MeshLog } from "./mesh-log.js";
import { monitorLog } from "./monitor-log.js";
import { replaceSeenLog } from "./seen-logs.js";
import type { WitnessKey } from "./witness-key.js";

/** How old a cosignature becomes before a witness repeats it, so that readers see that the witness runs. */
const cosignAgainAfterSeconds = 3_600;

export interface Cosigning {
  /**
   * `cosigned`: the broker has a new cosignature. `unchanged`: the broker already has a recent one.
   * `earlier`: the broker shows less than this machine has seen. `empty`: the log has no entries yet.
   */
  readonly outcome: "cosigned" | "unchanged" | "earlier" | "empty";
  readonly size: number;
  readonly root: Uint8Array;
  readonly origin: string;
  /** The sessions whose newest head the broker has not proven to continue the head before. */
  readonly unproven: readonly string[];
}

export interface CosignOptions extends CheckLogOptions {
  readonly key: WitnessKey;
  /** The current time in seconds. */
  readonly now: number;
}

/**
 * Checks the log that a broker shows, and cosigns its checkpoint (WITNESS-26). The checkpoint and the time are
 * stored durably before the key signs, so a witness never cosigns a smaller log or an earlier time afterwards.
 *
 * @throws CliError as `checkLog` and `monitorLog`; nothing is cosigned then
 */
export async function cosignLog(log: MeshLog, options: CosignOptions): Promise<Cosigning> {
  return explainShapeErrors(async () => {
    for (;;) {
      const cosigning = await tryCosigning(log, options);
      // If another process has changed the state in between, begin again.
      if (cosigning) return cosigning;
    }
  });
}

/** Returns null if another process has changed what this machine knows of the log. */
async function tryCosigning(log: MeshLog, options: CosignOptions): Promise<Cosigning | null> {
  const { home, key, now } = options;
  const { outcome, checkpoint, note, signers, seen } = await checkLog(log, options);
  const { size, root, origin } = checkpoint;
  const unproven = await monitorLog(log, { home, checkpoint, keys: signers });
  const result = { size, root, origin, unproven };
  if (outcome === "earlier") return { ...result, outcome };
  if (size === 0) return { ...result, outcome: "empty" };
  const last = await findCosignedAt(checkpoint, key.key, nodeCrypto);
  if (last !== null && now - last < cosignAgainAfterSeconds) return { ...result, outcome: "unchanged" };
  if (now < (seen.cosigned_at ?? 0)) {
    throw cannotVerify("This machine's clock is behind the time of its last cosignature. Correct the clock.");
  }
  if (!(await replaceSeenLog(home, seen, { ...seen, cosigned_at: now }))) return null;
  const signature = joinCosignature(now, key.sign(encodeCosignature(checkpoint.note.text, now)));
  await log.addCosignature(`${note}${formatSignatureLine(key.key, signature, nodeCrypto.sha256)}`);
  return { ...result, outcome: "cosigned" };
}
