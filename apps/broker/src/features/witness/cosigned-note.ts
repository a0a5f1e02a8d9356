import {
  type CheckpointRow,
  findCheckpoint,
  findWitnessedSize,
  findWitnessPolicy,
  listCosignatures,
  type WitnessPolicyRow,
} from "@merkle/db";
import { noteKeyTypes, parseVerifierKey, sameBytes } from "@merkle/wire/record";
import { sha256 } from "../../core/sha256.js";
import type { WitnessServices } from "./services.js";

type NoteServices = Pick<WitnessServices, "database" | "meshLog">;

/** Returns a checkpoint's note with all cosignatures that are stored. */
export async function readCosignedNote(
  { database, meshLog }: NoteServices,
  { size, note }: CheckpointRow,
): Promise<string> {
  const cosignatures = await listCosignatures(database.orm, meshLog.key, size);
  return note + cosignatures.map(({ line }) => line).join("");
}

/** Finds the newest checkpoint that as many witnesses cosigned as the policy requires. */
export async function findWitnessed(
  { database, meshLog }: NoteServices,
  policy: WitnessPolicyRow | null,
): Promise<CheckpointRow | null> {
  if (!policy) return null;
  const witnesses = policy.witnesses.map((text) => parseWitness(text).publicKey);
  const size = await findWitnessedSize(database.orm, meshLog.key, { least: policy.least, witnesses });
  return size === null ? null : findCheckpoint(database.orm, meshLog.key, size);
}

/** Describes who has cosigned the checkpoint of a size, and whether that is enough. */
export async function describeCosigners(
  { database, meshLog }: NoteServices,
  size: number,
): Promise<{ readonly cosigned_by: string[]; readonly witnessed: boolean }> {
  const policy = await findWitnessPolicy(database.orm, database.meshId);
  const cosignatures = await listCosignatures(database.orm, meshLog.key, size);
  const cosigners = (policy?.witnesses ?? [])
    .map(parseWitness)
    .filter(({ publicKey }) => cosignatures.some(({ witness }) => sameBytes(witness, publicKey)));
  return {
    cosigned_by: cosigners.map(({ name }) => name),
    witnessed: policy !== null && cosigners.length >= policy.least,
  };
}

/** @throws ShapeError if the text is not a witness's verifier key */
export function parseWitness(text: string) {
  return parseVerifierKey(text, noteKeyTypes.witness, sha256);
}

/** Returns the policy as it is shown. */
export function toShownPolicy(policy: WitnessPolicyRow | null) {
  return policy && { least: policy.least, witnesses: [...policy.witnesses] };
}
