import { findCheckpoint, findEarlierTime, findWitnessPolicy, saveCosignature } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import {
  cosignatureAheadMax,
  findCosignedAt,
  formatSignatureLine,
  joinCosignature,
  type NoteKey,
  parseCheckpoint,
  parseSignedNote,
  type SignedCheckpoint,
  sameBytes,
  toNoteKeyId,
} from "@merkle/wire/record";
import { sha256 } from "../../core/sha256.js";
import type { Context } from "../../sessions/context.js";
import { describeCosigners, parseWitness } from "./cosigned-note.js";
import { nodeCrypto, refuseShapeErrors } from "./note-input.js";
import type { WitnessServices } from "./services.js";

/** Stores the cosignatures of the policy's witnesses in a note (WITNESS-10). */
export async function addCosignature(
  { services }: Context<WitnessServices>,
  { note }: ParsedInputOf<"add_cosignature">,
): Promise<OutputOf<"add_cosignature">> {
  const { database, meshLog } = services;
  const checkpoint = refuseShapeErrors("note", () => parseCheckpoint(note, sha256));
  const { size } = checkpoint;
  const stored = await findCheckpoint(database.orm, meshLog.key, size);
  if (!stored || parseSignedNote(stored.note).text !== checkpoint.note.text) {
    throw new MerkleError(
      "conflict",
      `This log has never published this checkpoint of size ${size}. If the log's key signed it, keep it: it proves two histories.`,
      { size },
    );
  }
  const policy = await findWitnessPolicy(database.orm, database.meshId);
  if (!policy)
    throw new MerkleError(
      "forbidden",
      "This mesh has no witnesses. An admin can name some: merkle witness policy.",
    );
  const found = [];
  for (const witness of policy.witnesses.map(parseWitness)) {
    const cosigned = await findCosignature(checkpoint, witness);
    if (!cosigned) continue;
    requirePlausible(cosigned.at, witness.name, {
      now: Date.now() / 1_000,
      earlier: await findEarlierTime(database.orm, { ...meshLog.key, size }, witness.publicKey),
    });
    found.push({ witness: witness.publicKey, ...cosigned });
  }
  if (found.length === 0) {
    throw new MerkleError(
      "forbidden",
      "None of this mesh's witnesses cosigned this note. An admin can add your key: merkle witness policy.",
    );
  }
  for (const cosignature of found) await saveCosignature(database.orm, { ...meshLog.key, size }, cosignature);
  return { size, ...(await describeCosigners(services, size)) };
}

/** Returns a witness's latest cosignature of a checkpoint, or null. @throws MerkleError bad_request */
async function findCosignature(
  checkpoint: SignedCheckpoint,
  key: NoteKey,
): Promise<{ readonly at: number; readonly line: string } | null> {
  const at = await refuseShapeErrors("note", () => findCosignedAt(checkpoint, key, nodeCrypto));
  if (at === null) return null;
  const time = joinCosignature(at, new Uint8Array());
  const keyId = toNoteKeyId(key, sha256);
  const signature = checkpoint.note.signatures.find(
    (each) =>
      each.name === key.name && each.keyId === keyId && sameBytes(each.bytes.subarray(0, time.length), time),
  );
  return signature ? { at, line: formatSignatureLine(key, signature.bytes, sha256) } : null;
}

/** Refuses the time of a wrong clock, and a repeated old cosignature, so that the witness sees why. */
function requirePlausible(
  at: number,
  name: string,
  { now, earlier }: { readonly now: number; readonly earlier: number | null },
): void {
  const isAhead = at > now + cosignatureAheadMax;
  if (!isAhead && at >= (earlier ?? 0)) return;
  throw new MerkleError(
    "bad_request",
    isAhead
      ? `The cosignature of ${name} is from the future. Correct that machine's clock.`
      : `The cosignature of ${name} is older than one that it gave a smaller checkpoint. Correct that machine's clock.`,
    { field: "note" },
  );
}
