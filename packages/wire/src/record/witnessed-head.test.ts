import { describe, expect, it } from "vitest";
import { madeLogKey, madeLogSigner, makeLog } from "../../../../tests/kit/made-log.js";
import {
  cosignLine,
  noteCrypto,
  noteSigners,
  witnessVectors,
} from "../../../../tests/kit/witness-vectors.js";
import { makeBundle, makeKey } from "../../../../tests/record/made-bundle.js";
import { encodeSuccession } from "../identity/head.js";
import { formatLogEntry } from "./log-entry.js";
import { formatLogProof } from "./log-proof.js";
import { formatVerifierKey, noteKeyTypes } from "./signed-note.js";
import { describeVerdict } from "./verdict.js";
import { parsePolicy } from "./witness-policy.js";
import { checkHeadWitnessed } from "./witnessed-head.js";

const now = 1_796_000_000;
const policy = parsePolicy(witnessVectors.policy, noteCrypto.sha256);

async function makeProof({ witnesses = ["ada", "ben"] as readonly ("ada" | "ben")[], at = now } = {}) {
  const made = makeBundle({ keys: [madeLogSigner] });
  const heads = [made.headAt(9), made.headAt(20)];
  const log = makeLog(heads.map((head) => formatLogEntry({ head })));
  const text = await log.describe();
  const { note } = await log.sign();
  const cosigned = `${note}${witnesses.map((name) => cosignLine(noteSigners[name], text, at)).join("")}`;
  const proof = formatLogProof({ index: 1, path: await log.includes(1), note: cosigned });
  return { head: made.headAt(20), other: made.headAt(21), proof };
}

function toVkey(publicKey: Uint8Array, name: string): string {
  return formatVerifierKey({ name, type: noteKeyTypes.log, publicKey }, noteCrypto.sha256);
}
const otherLog = toVkey(noteSigners.log.key.publicKey, "merkle/another/log");

describe("a head that witnesses cosigned", () => {
  const check = { ...noteCrypto, policy, keys: [madeLogKey], now };

  it("[WITNESS-31] counts the witnesses of the policy", async () => {
    const { head, proof } = await makeProof();
    const both = await checkHeadWitnessed(head, { ...check, proof });
    expect([...both.cosigned.keys()]).toEqual(["ada", "ben"]);
    expect(both.isEnough).toBe(true);
    const { head: other, proof: one } = await makeProof({ witnesses: ["ada"] });
    expect(await checkHeadWitnessed(other, { ...check, proof: one })).toMatchObject({ isEnough: false });
    const ahead = await makeProof({ at: now + 3_600 });
    expect(await checkHeadWitnessed(ahead.head, { ...check, proof: ahead.proof })).toMatchObject({
      ahead: ["ada", "ben"],
      isEnough: false,
    });
  });

  it("[WITNESS-31] is refused for another head, another log, or a key that the policy does not lead to", async () => {
    const { head, other, proof } = await makeProof();
    await expect(checkHeadWitnessed(other, { ...check, proof })).rejects.toThrow("from this head");
    await expect(checkHeadWitnessed(head, { ...check, proof, keys: [makeKey().key] })).rejects.toThrow(
      "no key",
    );
    await expect(checkHeadWitnessed(head, { ...check, proof, keys: [] })).rejects.toThrow("no key");
    const elsewhere = witnessVectors.policy.replace(/^log .*$/m, `log ${otherLog}`);
    const otherPolicy = parsePolicy(elsewhere, noteCrypto.sha256);
    await expect(checkHeadWitnessed(head, { ...check, proof, policy: otherPolicy })).rejects.toThrow(
      "no key",
    );
  });

  it("[WITNESS-31] may be in a log that a successor of the policy's key signs", async () => {
    const first = makeKey();
    const about = { previous: first.key.key_id, public_key: madeLogKey.public_key, since: madeLogKey.since };
    const successor = { ...madeLogKey, ...about, succession: first.sign(encodeSuccession(about)) };
    const vkey = toVkey(Buffer.from(first.key.public_key, "base64url"), noteSigners.log.key.name);
    const before = parsePolicy(witnessVectors.policy.replace(/^log .*$/m, `log ${vkey}`), noteCrypto.sha256);
    const { head, proof } = await makeProof();
    const keys = [first.key, successor];
    expect(await checkHeadWitnessed(head, { ...check, proof, policy: before, keys })).toMatchObject({
      isEnough: true,
    });
    const unsigned = [first.key, { ...successor, succession: null }];
    const refused = checkHeadWitnessed(head, { ...check, proof, policy: before, keys: unsigned });
    await expect(refused).rejects.toThrow("no key");
  });
});

describe("the verdict on a record", () => {
  const { head } = { head: makeBundle({ keys: [madeLogSigner] }).headAt(9) };
  const known = { signed_by: { key_id: madeLogKey.key_id, trust: "known" as const }, head };
  const describeIt = (
    witnesses: [string, number][] | null,
    isEnough: boolean,
    comparedAt: number | null = null,
  ) =>
    describeVerdict({
      report: known,
      witnesses: witnesses && { cosigned: new Map(witnesses), ahead: [], isEnough },
      comparedAt,
    });

  it("[WITNESS-32] begins with who signed, and says what each signature proves", () => {
    expect(describeIt(null, false)).toMatchObject({
      title: "Signed only by this broker.",
      statements: [expect.stringContaining("does not prove"), expect.stringContaining("another history")],
    });
    const two = describeIt(
      [
        ["ada", now],
        ["ben", now],
      ],
      true,
      now,
    );
    expect(two.title).toBe(
      "Signed by this broker and 2 witnesses; last compared with another member on 30 November 2026.",
    );
    expect(two.statements).toHaveLength(3);
    expect(describeIt([["ada", now]], false).title).toContain("fewer than your policy requires");
    expect(describeIt([], false).title).toBe("Signed by this broker, not yet witnessed.");
    const unknown = describeVerdict({
      report: { ...known, signed_by: { ...known.signed_by, trust: "first seen" } },
      witnesses: null,
      comparedAt: null,
    });
    expect(unknown.title).toBe("Signed only by a key that is not known here.");
  });
});
