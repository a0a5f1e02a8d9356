import { describe, expect, it } from "vitest";
import {
  cosignLine,
  noteCrypto,
  noteSigners,
  signLine,
  witnessVectors,
} from "../../../../tests/kit/witness-vectors.js";
import { fromBase64 } from "../core/base64.js";
import { toHex } from "../core/hex.js";
import { ShapeError } from "../core/shape.js";
import { toBase64url } from "../identity/base64url.js";
import {
  findOriginMesh,
  formatCheckpoint,
  isSignedByLog,
  parseCheckpoint,
  toLogKey,
  toLogOrigin,
} from "./checkpoint.js";
import { encodeCosignature, findCosignedAt } from "./cosignature.js";
import { growTree, hashLeaf } from "./log-tree.js";
import { formatSignatureLine, noteKeyTypes } from "./signed-note.js";

const { sha256 } = noteCrypto;
const { log, ada, ben } = noteSigners;
const text = witnessVectors.checkpoint_5_text;
const cosigned = witnessVectors.checkpoint_5_cosigned;
const cosignedAt = 1_795_960_980;
const { cosignature_ada: adaLine, cosignature_ben: benLine } = witnessVectors;
const signed = `${text}\n${signLine(log, text)}`;
const parse = (note: string) => parseCheckpoint(note, sha256);

describe("checkpoints", () => {
  it("[WITNESS-2] state origin, size and root of a log, and other programs make the same", () => {
    const { origin, size, root } = parse(cosigned);
    expect({ origin, size, root: toHex(root) }).toEqual({
      origin: log.key.name,
      size: 5,
      root: witnessVectors.root_5,
    });
    expect(formatCheckpoint({ origin, size, root })).toBe(text);
    expect(cosigned).toBe(signed + adaLine + benLine);
  });

  it("[WITNESS-2] have the roots of their entries", () => {
    const tree = growTree(sha256);
    const roots = witnessVectors.entries.map((entry, index) => {
      const leaf = hashLeaf(new TextEncoder().encode(entry), sha256);
      expect(toHex(leaf)).toBe(witnessVectors.leaves[index]);
      tree.push(leaf);
      return toHex(tree.root());
    });
    expect([roots[2], roots[4]]).toEqual([witnessVectors.root_3, witnessVectors.root_5]);
    expect(toHex(parse(witnessVectors.checkpoint_3).root)).toBe(witnessVectors.root_3);
  });

  it("[WITNESS-2] are signed by the key of the log under the log's origin", async () => {
    const meshId = "0d7c4c0e-53a1-4b9b-8a53-9b3f0f6f2f11";
    const origin = toLogOrigin({ meshId, epoch: "5b1f0a52-6f2e-4a57-9a0e-2f3d1c7b8e90" });
    expect(origin).toBe(log.key.name);
    expect(findOriginMesh(origin)).toBe(meshId);
    expect(findOriginMesh(`${origin}/a-session`)).toBeNull();
    const key = toLogKey({ public_key: toBase64url(log.key.publicKey) }, origin);
    expect(key).toEqual(log.key);
    expect(toLogKey({ public_key: "short" }, origin)).toBeNull();
    expect(await isSignedByLog(parse(signed), log.key, noteCrypto)).toBe(true);
    expect(await isSignedByLog(parse(`${text}\n${adaLine}`), log.key, noteCrypto)).toBe(false);
  });

  it("[WITNESS-2] are refused with a wrong signature of the log, even beside a valid one", async () => {
    const ofOther = signLine(log, witnessVectors.checkpoint_5_text.replace("5\n", "6\n"));
    for (const note of [`${text}\n${ofOther}`, signed + ofOther]) {
      await expect(isSignedByLog(parse(note), log.key, noteCrypto)).rejects.toThrow(ShapeError);
    }
  });

  const emptyRoot = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
  it("[WITNESS-2] can be of an empty log, whose root is the hash of nothing", () => {
    const empty = `${log.key.name}\n0\n${emptyRoot}\n`;
    expect(parse(`${empty}\n${signLine(log, empty)}`).size).toBe(0);
  });

  it.each([
    ["a line more", (of: string) => `${of}more\n`],
    ["a line less", (of: string) => of.replace("5\n", "")],
    ["an origin that is not a mesh's", (of: string) => of.replace("merkle/", "witness.example/")],
    ["no name in the origin", (of: string) => of.replace(/^.*\n/, "merkle/\n")],
    ["white space in the origin", (of: string) => of.replace("merkle/", "merkle/\u00a0")],
    ["a plus sign in the origin", (of: string) => of.replace("merkle/", "merkle/+")],
    ["a zero before the size", (of: string) => of.replace("\n5\n", "\n05\n")],
    ["a sign before the size", (of: string) => of.replace("\n5\n", "\n+5\n")],
    ["a size in other digits", (of: string) => of.replace("\n5\n", "\n\u0665\n")],
    ["a size that no number can have", (of: string) => of.replace("\n5\n", "\n9007199254740992\n")],
    ["a root of 31 bytes", (of: string) => of.replace(/.{44}\n$/, `${emptyRoot.slice(0, 40)}eA==\n`)],
    ["a root with unused bits", (of: string) => of.replace(/.=\n$/, "V=\n")],
    ["a root of an empty log that is another", (of: string) => of.replace("\n5\n", "\n0\n")],
  ])("[WITNESS-2] are refused with %s", (_, change) => {
    const changed = change(text);
    expect(changed).not.toBe(text);
    expect(() => parse(`${changed}\n${signLine(log, changed)}`)).toThrow(ShapeError);
  });
});

describe("cosignatures", () => {
  it("[WITNESS-3] are over the checkpoint and the time, and other programs make the same", async () => {
    expect(new TextDecoder().decode(encodeCosignature(text, cosignedAt))).toBe(
      witnessVectors.cosigned_bytes_ada,
    );
    expect(cosignLine(ada, text, cosignedAt)).toBe(adaLine);
    expect(await findCosignedAt(parse(cosigned), ada.key, noteCrypto)).toBe(cosignedAt);
    expect(await findCosignedAt(parse(cosigned), ben.key, noteCrypto)).toBe(cosignedAt + 2);
    expect(await findCosignedAt(parse(signed), ada.key, noteCrypto)).toBeNull();
  });

  it("[WITNESS-3] count with the latest time if a witness made several", async () => {
    const later = signed + cosignLine(ada, text, cosignedAt + 60) + adaLine;
    expect(await findCosignedAt(parse(later), ada.key, noteCrypto)).toBe(cosignedAt + 60);
  });

  it("[WITNESS-3] are refused on another checkpoint, or with another time", async () => {
    const other = witnessVectors.checkpoint_3 + adaLine;
    const bytes = fromBase64(adaLine.trim().split(" ")[2] ?? "") ?? new Uint8Array();
    const moved = Uint8Array.from(bytes.subarray(4));
    moved[7] = (moved[7] ?? 0) + 1;
    const later = signed + formatSignatureLine(ada.key, moved, sha256);
    for (const note of [other, later]) {
      await expect(findCosignedAt(parse(note), ada.key, noteCrypto)).rejects.toThrow(ShapeError);
    }
  });

  it("[WITNESS-3] are refused if they are cut off", async () => {
    for (const length of [1, 64, 71]) {
      const note = signed + formatSignatureLine(ada.key, new Uint8Array(length), sha256);
      await expect(findCosignedAt(parse(note), ada.key, noteCrypto)).rejects.toThrow(ShapeError);
    }
  });

  it("[WITNESS-3] are not signatures of the text itself, which a log makes", async () => {
    const asLog = { ...ada, key: { ...ada.key, type: noteKeyTypes.log } };
    const note = parse(signed + signLine(asLog, text));
    expect(await findCosignedAt(note, ada.key, noteCrypto)).toBeNull();
    // The type is part of the key's id, so the bytes of a log's signature are invalid as a cosignature.
    const disguised = formatSignatureLine(ada.key, ada.sign(new TextEncoder().encode(text)), sha256);
    await expect(findCosignedAt(parse(signed + disguised), ada.key, noteCrypto)).rejects.toThrow(ShapeError);
  });
});
