import {
  type AuditKey,
  type CheckpointComparison,
  compareCheckpoint,
  determineTrust,
  findOriginMesh,
  findSigner,
  joinKeys,
  parseCheckpoint,
  type SeenCheckpoint,
  ShapeError,
  type SignedCheckpoint,
} from "@merkle/wire/record";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { nodeCrypto } from "../../core/node-crypto.js";
import { findKnownMesh } from "../../home/known-meshes.js";
import { createForkError } from "./fork-found.js";
import type { MeshLog } from "./mesh-log.js";
import { findSeenLog, findSeenOrigin, replaceSeenLog, type SeenLog } from "./seen-logs.js";

/** A mesh's log, compared with what this machine knew of it. */
export interface CheckedLog {
  /**
   * `first`: this machine saw the log for the first time. `earlier`: the broker shows a beginning of the log
   * that this machine knows.
   */
  readonly outcome: "first" | "same" | "later" | "earlier";
  /** The checkpoint that the broker shows, and its note. */
  readonly checkpoint: SignedCheckpoint;
  readonly note: string;
  /** The keys that signed the log and the heads in it: the trusted ones, and those that vouched for these. */
  readonly signers: readonly AuditKey[];
  /** What this machine knows of the log now. */
  readonly seen: SeenLog;
}

export interface CheckLogOptions {
  readonly home: string;
  /** A person has confirmed that the mesh's log may begin again, as it does after a restore. */
  readonly acceptsRestore?: boolean;
}

/**
 * Compares the checkpoint that a broker shows with the one that this machine has stored, and stores a later
 * one durably (WITNESS-20).
 *
 * @throws CliError `fork` if the broker's key signed two histories; `verification_failed` if the checkpoint is
 * not proven to be of the log that this machine knows
 */
export async function checkLog(log: MeshLog, options: CheckLogOptions): Promise<CheckedLog> {
  const { home } = options;
  return explainShapeErrors(async () => {
    for (;;) {
      const shown = await log.readCheckpoint();
      const checkpoint = parseCheckpoint(shown.note, nodeCrypto.sha256);
      const seen = findSeenLog(home, checkpoint.origin);
      const origin = findSeenOrigin(home, getMesh(checkpoint.origin));
      if (seen && origin !== checkpoint.origin) throw beforeRestore(checkpoint.origin);
      const { outcome, after } = seen
        ? await compare(log, { seen, shown, checkpoint, home })
        : { outcome: "first" as const, after: await followLog(shown, { ...options, checkpoint, origin }) };
      const isStored = after === seen || (await replaceSeenLog(home, seen, after));
      // If another process has stored a checkpoint in between, compare with that one.
      if (!isStored) continue;
      const signers = await listSigners(shown.keys, after.keys);
      return { outcome, checkpoint, note: shown.note, signers, seen: after };
    }
  });
}

/** Turns an error about the form of what a broker shows into an error for the person. */
export async function explainShapeErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ShapeError) throw cannotVerify(error.message);
    throw error;
  }
}

async function compare(
  log: MeshLog,
  {
    seen,
    shown,
    checkpoint,
    home,
  }: {
    readonly seen: SeenLog;
    readonly shown: SeenCheckpoint;
    readonly checkpoint: SignedCheckpoint;
    readonly home: string;
  },
): Promise<{ readonly outcome: Exclude<CheckedLog["outcome"], "first">; readonly after: SeenLog }> {
  const compared = await compareShown(log, { seen, shown, checkpoint });
  switch (compared.outcome) {
    case "fork":
      throw await createForkError(home, compared);
    case "refused":
    case "unproven":
      throw cannotVerify(compared.message);
    case "later": {
      const keys = joinKeys(seen.keys, await listTrustedKeys(shown.keys, seen.keys));
      return { outcome: "later", after: { ...seen, note: shown.note, keys } };
    }
    default:
      return { outcome: compared.outcome, after: seen };
  }
}

/** Compares a checkpoint with the stored one. Asks the broker for the proof between the two. */
export async function compareShown(
  log: Pick<MeshLog, "readConsistency">,
  {
    seen,
    shown,
    checkpoint,
  }: {
    readonly seen: SeenCheckpoint;
    readonly shown: SeenCheckpoint;
    readonly checkpoint: Pick<SignedCheckpoint, "size">;
  },
): Promise<CheckpointComparison> {
  const { size } = parseCheckpoint(seen.note, nodeCrypto.sha256);
  const [from = 0, to = 0] = [size, checkpoint.size].toSorted((a, b) => a - b);
  const consistency = from === to || from === 0 ? null : await log.readConsistency(from, to);
  return compareCheckpoint(seen, { ...shown, consistency }, nodeCrypto);
}

/** Returns what this machine knows of a log that it sees for the first time. */
async function followLog(
  shown: SeenCheckpoint,
  {
    home,
    acceptsRestore = false,
    checkpoint,
    origin,
  }: CheckLogOptions & { readonly checkpoint: SignedCheckpoint; readonly origin: string | null },
): Promise<SeenLog> {
  const before = origin === null ? null : findSeenLog(home, origin);
  const signer = await findSigner(checkpoint, shown.keys, nodeCrypto);
  if (!signer) throw cannotVerify("No key that the broker names signed the checkpoint.");
  const known = before?.keys ?? findKnownMesh(home, getMesh(checkpoint.origin))?.keys ?? [];
  const trust = await determineTrust(signer.key_id, shown.keys, { known, ...nodeCrypto });
  const isOther = trust === "other than the known one";
  if (before && !acceptsRestore) throw restored(before, { checkpoint, isOther });
  if (!before && isOther) {
    throw cannotVerify(
      `The key ${signer.key_id} signed the checkpoint, and no key known here vouches for it.`,
    );
  }
  const keys = await listTrustedKeys(shown.keys, [signer]);
  return { note: shown.note, keys, cosigned_at: null, compared_at: null };
}

/** Returns the keys that are known, or that a known key vouches for. */
async function listTrustedKeys(keys: readonly AuditKey[], known: readonly AuditKey[]): Promise<AuditKey[]> {
  const trusts = await Promise.all(
    keys.map(({ key_id }) => determineTrust(key_id, keys, { known, ...nodeCrypto })),
  );
  return keys.filter((_, index) => trusts[index] !== "other than the known one");
}

/**
 * Returns the trusted keys and their predecessors. A predecessor may have signed older heads in the log, but is
 * not trusted to sign anything from now on.
 */
async function listSigners(keys: readonly AuditKey[], trusted: readonly AuditKey[]): Promise<AuditKey[]> {
  const all = joinKeys(trusted, keys);
  const isPredecessor = async (key: AuditKey) => {
    const options = { known: [key], ...nodeCrypto };
    const trusts = await Promise.all(trusted.map(({ key_id }) => determineTrust(key_id, all, options)));
    return trusts.some((trust) => trust !== "other than the known one");
  };
  const areSigners = await Promise.all(all.map(isPredecessor));
  return all.filter((_, index) => areSigners[index]);
}

function getMesh(origin: string): string {
  const meshId = findOriginMesh(origin);
  if (meshId === null) throw cannotVerify(`The checkpoint is of ${origin}, which is not the log of a mesh.`);
  return meshId;
}

export function cannotVerify(message: string): CliError {
  return new CliError(
    "verification_failed",
    `The broker's log could not be verified. ${message} If this does not change, ask the person who runs the broker.`,
    { exitCode: exitCodes.verification_failed, next: ["merkle head"] },
  );
}

/** A restore and a fork look alike from outside, so a person decides (WITNESS-28). */
function restored(
  before: SeenLog,
  { checkpoint, isOther }: { readonly checkpoint: SignedCheckpoint; readonly isOther: boolean },
): CliError {
  const { size } = parseCheckpoint(before.note, nodeCrypto.sha256);
  return new CliError(
    "restored",
    `The broker began a new log of this mesh: ${checkpoint.size} entries, where ${size} were seen here.${isOther ? " Another key signed it." : ""} This is so after a backup was restored. Ask the person who runs the broker before you accept it.`,
    {
      exitCode: exitCodes.verification_failed,
      next: ["merkle head --accept-restore", "merkle witness run --accept-restore"],
    },
  );
}

function beforeRestore(origin: string): CliError {
  return cannotVerify(`It shows ${origin}, a log from before a restore that was accepted here.`);
}
