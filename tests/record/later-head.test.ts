import { createPublicKey, verify } from "node:crypto";
import {
  type Consistency,
  checkLaterHead,
  computeConsistencyPath,
  hashNode,
  type LaterHead,
  type Subtree,
  toHex,
  type VerifySignature,
} from "@merkle/wire/record";
import { describe, expect, it } from "vitest";
import { makeBundle, makeKey, sha256, signHead } from "./made-bundle.js";

const verifySignature: VerifySignature = (publicKey, bytes, signature) => {
  const x = Buffer.from(publicKey).toString("base64url");
  return verify(
    null,
    bytes,
    createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }),
    signature,
  );
};

const first = makeKey();
const second = makeKey(first);
const made = makeBundle({ keys: [first] });
const seen = { head: made.headAt(20), keys: [first.key] };
const compare = (later: LaterHead) => checkLaterHead(seen, later, { sha256, verifySignature });

async function consistency(from: number, size: number): Promise<Consistency> {
  const leaf = (index: number): Uint8Array => Buffer.from(made.lines[index]?.hash ?? "", "hex");
  const hashOf = ({ start, height }: Subtree): Uint8Array =>
    height === 0
      ? leaf(start)
      : hashNode(
          hashOf({ start, height: height - 1 }),
          hashOf({ start: start + 2 ** (height - 1), height: height - 1 }),
          sha256,
        );
  const path = await computeConsistencyPath({ from, size }, async (subtrees) => subtrees.map(hashOf), sha256);
  return { from_size: from, from_root: made.headAt(from).root, path: path.map(toHex) };
}

const later = async (): Promise<LaterHead> => ({
  head: made.headAt(37),
  keys: [first.key],
  consistency: await consistency(20, 37),
});

describe("a head that comes after one that was seen", () => {
  it("[VERIFY-9] is consistent when it is proven to begin as the seen one, signed by that key or its successor", async () => {
    const given = await later();
    expect(await compare(given)).toEqual({ outcome: "consistent", trust: "known" });
    expect(await compare({ ...given, head: seen.head, consistency: null })).toMatchObject({
      outcome: "consistent",
    });
    const succeeded = signHead({ ...given.head, key_id: second.key.key_id }, second);
    expect(await compare({ ...given, head: succeeded, keys: [first.key, second.key] })).toEqual({
      outcome: "consistent",
      trust: "succeeds a known one",
    });
  });

  it("[VERIFY-9] is not when the proof is missing or of something else, or the same size has another root", async () => {
    const given = await later();
    expect(await compare({ ...given, consistency: null })).toMatchObject({ reason: "unproven" });
    const other = await consistency(19, 37);
    expect(await compare({ ...given, consistency: other })).toMatchObject({ reason: "changed" });
    const forged = makeBundle({ keys: [first] });
    const head = signHead({ ...forged.headAt(37), session_id: made.recordId }, first);
    expect(await compare({ ...given, head })).toMatchObject({ reason: "changed" });
    const same = signHead({ ...seen.head, root: forged.headAt(20).root }, first);
    expect(await compare({ ...given, head: same })).toMatchObject({ reason: "changed" });
    const document = { ...given.head.document, root: forged.headAt(20).document.root };
    expect(await compare({ ...given, head: signHead({ ...given.head, document }, first) })).toMatchObject({
      reason: "changed",
      message: expect.stringContaining("versions"),
    });
  });

  it("[VERIFY-9] is not when another key signed it, it was changed, or is of another record", async () => {
    const given = await later();
    const stranger = makeKey();
    const head = signHead({ ...given.head, key_id: stranger.key.key_id }, stranger);
    expect(await compare({ ...given, head, keys: [first.key, stranger.key] })).toMatchObject({
      reason: "other key",
    });
    expect(await compare({ ...given, head: { ...given.head, size: 38 } })).toMatchObject({
      reason: "signature",
    });
    const foreign = makeBundle({ keys: [first] }).headAt(37);
    expect(await compare({ ...given, head: foreign })).toMatchObject({ reason: "other record" });
  });

  it("[VERIFY-9] with less than was seen is an earlier one, a cut record, or a restored one", async () => {
    const given = await later();
    const earlier = made.headAt(12);
    expect(await compare({ ...given, head: earlier })).toEqual({ outcome: "earlier" });
    const at = "2026-06-01T00:00:00.000Z";
    expect(await compare({ ...given, head: signHead({ ...earlier, at }, first) })).toMatchObject({
      reason: "cut",
    });
    const fewerVersions = { ...given.head, document: made.headAt(0).document };
    expect(await compare({ ...given, head: signHead(fewerVersions, first) })).toMatchObject({
      reason: "cut",
      message: expect.stringContaining("37 messages and 0 versions, but 20 and 3 were seen"),
    });
    const epoch = "00000000-0000-4000-8000-000000000000";
    expect(await compare({ ...given, head: signHead({ ...earlier, at, epoch }, first) })).toMatchObject({
      reason: "restored",
      message: expect.stringContaining("12 messages and 3 versions, but 20 and 3 were seen"),
    });
  });
});
