import { createHash } from "node:crypto";
import { computeMerkleProof, type ThoughtRecord } from "@merkle/wire";
import { serialiseThought } from "@merkle/wire/record";
import { expect, it } from "vitest";
import { checkThought } from "./check-thought";

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest();

it("[DASH-268] a record holds when the hash of what is shown leads to the root that is shown, and else does not", async () => {
  const written = {
    id: "5e551000-0000-4000-8000-000000000001",
    number: 1,
    type: "decision",
    task_id: "tokens",
    content: "In the keyring, für 30 Tage.",
    timestamp: "2026-11-22T10:00:00.000Z",
    prev_hash: "0".repeat(64),
    session_id: "a",
    recorded_by: "Atlas",
  } as const;
  const record: ThoughtRecord = { ...written, hash: sha256(serialiseThought(written)).toString("hex") };
  const leaves = [record.hash, "ab".repeat(32), "01".repeat(32)];
  const proof = computeMerkleProof(leaves, record.hash, sha256);
  expect(await checkThought(record, proof, proof.root)).toEqual({ holds: true, steps: proof.proof.length });
  const changed = { ...record, content: "In a file." };
  expect(await checkThought(changed, proof, proof.root)).toMatchObject({ holds: false });
  expect(await checkThought(record, proof, "ab".repeat(32))).toMatchObject({ holds: false });
  expect(await checkThought(record, { proof: proof.proof.slice(1) }, proof.root)).toMatchObject({
    holds: false,
  });
});
