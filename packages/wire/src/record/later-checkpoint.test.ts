import { describe, expect, it } from "vitest";
import { madeLogKey, madeLogSigner, makeLog } from "../../../../tests/kit/made-log.js";
import { noteCrypto, noteSigners, witnessVectors } from "../../../../tests/kit/witness-vectors.js";
import { makeBundle, signHead } from "../../../../tests/record/made-bundle.js";
import type { SignedHead } from "../identity/head.js";
import { checkFork, formatFork, parseFork, relateHeads } from "./fork.js";
import { compareCheckpoint, type ShownCheckpoint } from "./later-checkpoint.js";

const { sha256 } = noteCrypto;
const origin = noteSigners.log.key.name;
const keys = [madeLogKey];

/** Numbered entries. The entry at `changedAt` differs from that of other logs. */
function makeEntries(changedAt = -1): string[] {
  return Array.from({ length: 12 }, (_, index) => `${index}${index === changedAt ? " changed" : ""}`);
}

describe("a checkpoint compared with one that was stored", () => {
  const [told, other] = [makeLog(makeEntries()), makeLog(makeEntries(2))];

  it("[WITNESS-20] continues the stored one, is an earlier one, or is the same", async () => {
    for (const [from, size] of [
      [0, 3],
      [3, 7],
      [4, 9],
      [8, 8],
    ] as const) {
      const [seen, later] = [await told.sign(from), await told.sign(size)];
      const consistency = await told.prove(from, size);
      const expected = from === size ? "same" : "later";
      expect(await compareCheckpoint(seen, { ...later, consistency }, noteCrypto)).toEqual({
        outcome: expected,
      });
      const back = await compareCheckpoint(later, { ...seen, consistency }, noteCrypto);
      expect(back).toEqual({ outcome: from === size ? "same" : "earlier" });
    }
  });

  it("[WITNESS-21] is evidence of a fork, at every size, that anyone can verify offline", async () => {
    for (let from = 3; from <= 9; from++) {
      for (let size = from; size <= 12; size++) {
        const [seen, shown] = [await told.sign(from), await other.sign(size)];
        const consistency = await other.prove(from, size);
        const compared = await compareCheckpoint(seen, { ...shown, consistency }, noteCrypto);
        if (compared.outcome !== "fork") throw new Error(`${from} to ${size}: ${JSON.stringify(compared)}`);
        const evidence = parseFork(formatFork(compared.evidence));
        const known = { ...noteCrypto, known: keys };
        expect(await checkFork(evidence, known)).toMatchObject({ log: origin, trust: "known" });
        const swapped = {
          ...compared.evidence,
          earlier: compared.evidence.later,
          later: compared.evidence.earlier,
        };
        if (from < size) await expect(checkFork(swapped, known)).rejects.toThrow("does not show");
        const honest = { ...compared.evidence, later: (await told.sign(size)).note };
        await expect(checkFork(honest, known)).rejects.toThrow(from === size ? /./ : "does not show");
      }
    }
  });

  it("[WITNESS-21] proves the fork of the vectors, whose proof leads from another root", async () => {
    const [lines = "", note = ""] = witnessVectors.fork.request.split(/\n\n(.*)/s);
    const path = lines
      .split("\n")
      .slice(1)
      .map((hash) => Buffer.from(hash, "base64").toString("hex"));
    const shown = { note, keys, consistency: { from_size: 5, from_root: "00".repeat(32), path } };
    const seen = { note: witnessVectors.checkpoint_5_cosigned, keys };
    const compared = await compareCheckpoint(seen, shown, noteCrypto);
    const from_root = Buffer.from(witnessVectors.fork.root_5_that_the_proof_has, "hex").toString("base64");
    expect(compared).toMatchObject({ outcome: "fork", evidence: { from_root } });
  });

  it("[WITNESS-21] accuses nobody without a proof, with a wrong one, or of what another key signed", async () => {
    const [seen, later, fork] = [await told.sign(5), await told.sign(9), await other.sign(9)];
    const wrong = { ...(await told.prove(5, 9)), path: ["00".repeat(32)] };
    const compare = (shown: ShownCheckpoint) => compareCheckpoint(seen, shown, noteCrypto);
    for (const each of [later, fork]) {
      expect(await compare({ ...each, consistency: null })).toMatchObject({ outcome: "unproven" });
      expect(await compare({ ...each, consistency: wrong })).toMatchObject({ outcome: "unproven" });
    }
    const forged = fork.note.replace(/.{8}=\n$/, "AAAAAAA=\n");
    const consistency = await other.prove(5, 9);
    expect(await compare({ note: forged, keys, consistency })).toMatchObject({ outcome: "refused" });
    const stranger = { ...madeLogKey, key_id: "0".repeat(32) };
    expect(await compare({ ...fork, keys: [stranger], consistency })).toMatchObject({ outcome: "refused" });
    const elsewhere = fork.note.replaceAll("merkle/", "merkle/x");
    expect(await compare({ note: elsewhere, keys, consistency })).toMatchObject({ outcome: "refused" });
  });
});

describe("two heads of one session", () => {
  const [made, other] = [
    makeBundle({ keys: [madeLogSigner] }),
    makeBundle({ keys: [madeLogSigner], messages: 50 }),
  ];
  const relate = (a: SignedHead, b: SignedHead) =>
    relateHeads(a, b, { keys, sha256, feed: null, document: null });

  it("[WITNESS-21] contradict each other at one size, and are unproven without a proof", async () => {
    const head = made.headAt(20);
    expect(relate(head, head)).toEqual({ outcome: "consistent" });
    expect(relate(made.headAt(9), head)).toEqual({ outcome: "unproven" });
    const { signature: _, ...forged } = {
      ...other.headAt(20),
      session_id: head.session_id,
      epoch: head.epoch,
    };
    const found = relate(head, signHead(forged, madeLogSigner));
    if (found.outcome !== "fork") throw new Error(found.outcome);
    expect(await checkFork(found.evidence, { ...noteCrypto, known: keys })).toMatchObject({
      of: "feed",
      trust: "known",
    });
  });
});
