import { findLoggedHead, findMeshLog, findWitnessPolicy, listLogEntries } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import {
  computeConsistencyPath,
  computeInclusionPath,
  computeLogRoot,
  formatLogProof,
  toHex,
} from "@merkle/wire/record";
import { sha256 } from "../../core/sha256.js";
import type { Context, SessionContext } from "../../sessions/context.js";
import { toSignedHead } from "../seal/feature.js";
import { describeCosigners, findWitnessed, readCosignedNote, toShownPolicy } from "./cosigned-note.js";
import type { WitnessServices } from "./services.js";

/** Returns the newest checkpoint of the mesh's log (WITNESS-8). */
export async function getCheckpoint({
  services,
}: Context<WitnessServices>): Promise<OutputOf<"get_checkpoint">> {
  const { database, meshLog, signer } = services;
  const policy = await findWitnessPolicy(database.orm, database.meshId);
  const [newest, witnessed] = await Promise.all([meshLog.readCheckpoint(), findWitnessed(services, policy)]);
  return {
    note: await readCosignedNote(services, newest),
    keys: [...signer.keys],
    policy: toShownPolicy(policy),
    witnessed: witnessed && (await readCosignedNote(services, witnessed)),
  };
}

export async function getLogEntries(
  { services: { database, meshLog } }: Context<WitnessServices>,
  { from, limit }: ParsedInputOf<"get_log_entries">,
): Promise<OutputOf<"get_log_entries">> {
  const log = await findMeshLog(database.orm, meshLog.key);
  return {
    size: log?.size ?? 0,
    entries: await listLogEntries(database.orm, meshLog.key, { from, limit }),
  };
}

/** Proves that the log of an earlier size is the beginning of a later one. @throws conflict */
export async function getLogProof(
  { services: { database, meshLog } }: Context<WitnessServices>,
  { from_size, size }: ParsedInputOf<"get_log_proof">,
): Promise<OutputOf<"get_log_proof">> {
  const all = (await findMeshLog(database.orm, meshLog.key))?.size ?? 0;
  if (from_size > size || size > all) {
    throw new MerkleError(
      "conflict",
      `Expected an earlier size and a later one, at most ${all}, got ${from_size} and ${size}. If a checkpoint of this log has more entries, the log was cut.`,
      { size: all },
    );
  }
  const [root, path] = await Promise.all([
    computeLogRoot(from_size, meshLog.readSubtrees, sha256),
    computeConsistencyPath({ from: from_size, size }, meshLog.readSubtrees, sha256),
  ]);
  return { size, consistency: { from_size, from_root: toHex(root), path: path.map(toHex) } };
}

/** Proves that the log has a head of the session, under a witnessed checkpoint if there is one (WITNESS-9). */
export async function getHeadProof(
  { services, session }: SessionContext<WitnessServices>,
  { sealed }: ParsedInputOf<"get_head_proof">,
): Promise<OutputOf<"get_head_proof">> {
  const { database, meshLog } = services;
  const policy = await findWitnessPolicy(database.orm, database.meshId);
  // Appends the session's newest head, if the log lacks it.
  await meshLog.readCheckpoint();
  const { sessionId, slug } = session;
  const logged = await findLoggedHead(database.orm, meshLog.key, { sessionId, isSeal: sealed });
  if (!logged) {
    throw new MerkleError(
      "conflict",
      sealed
        ? `"${slug}" has not been concluded, or was before the last restore, so this log has no seal of it.`
        : `The log has no head of "${slug}" yet. Read its seal first.`,
    );
  }
  const witnessed = await findWitnessed(services, policy);
  // Read only now: another call may have appended the head after the checkpoint above.
  const checkpoint = witnessed && witnessed.size > logged.index ? witnessed : await meshLog.readCheckpoint();
  const { index } = logged;
  const path = await computeInclusionPath({ index, size: checkpoint.size }, meshLog.readSubtrees, sha256);
  return {
    session_id: sessionId,
    head: toSignedHead(logged.head),
    proof: formatLogProof({ index, path, note: await readCosignedNote(services, checkpoint) }),
    policy: toShownPolicy(policy),
    witnessed: (await describeCosigners(services, checkpoint.size)).witnessed,
  };
}
