import { describe, expect, it } from "vitest";
import { noteCrypto, witnessVectors } from "../../../../tests/kit/witness-vectors.js";
import { fromBase64 } from "../core/base64.js";
import { parseHex } from "../core/hex.js";
import { ShapeError } from "../core/shape.js";
import { formatLogEntry, parseLogEntry } from "./log-entry.js";
import { formatLogProof, isInLog, parseLogProof } from "./log-proof.js";
import { verifyConsistency } from "./log-tree.js";

const { sha256 } = noteCrypto;
const { entries, tlog_proof_entry_1: proof, checkpoint_5_cosigned: note } = witnessVectors;
const [firstEntry = "", secondEntry = ""] = entries;

describe("entries of a mesh's log", () => {
  it("[WITNESS-6] are canonical JSON of a signed head", () => {
    for (const text of entries) {
      const entry = parseLogEntry(text);
      expect(entry).toHaveProperty("head.key_id", "34750f98bd59fcfc946da45aaabe933b");
      expect(formatLogEntry(entry)).toBe(text);
    }
  });

  it("[WITNESS-6] are also keys that take over, and the last checkpoint before a restore", () => {
    const key = {
      key_id: "34750f98bd59fcfc946da45aaabe933b",
      public_key: "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w",
      since: "2026-11-29T14:00:00.000Z",
      previous: null,
      succession: null,
    };
    for (const entry of [{ key }, { begins: note }]) {
      expect(parseLogEntry(formatLogEntry(entry))).toEqual(entry);
    }
  });

  it.each([
    ["a line break at the end", `${firstEntry}\n`],
    ["white space", firstEntry.replace("{", "{ ")],
    [
      "fields in another order",
      firstEntry.replace('{"head":{', '{"head":{"size":3,').replace(/,"size":3\}\}$/, "}}"),
    ],
    ["a kind that is unknown", '{"other":{}}'],
    ["two kinds", firstEntry.replace(/\}$/, ',"key":null}')],
    ["no kind", "{}"],
    ["a field more", firstEntry.replace('"size":3', '"size":3,"extra":1')],
    ["a list", "[]"],
  ])("[WITNESS-6] are refused with %s", (_, text) => {
    expect(() => parseLogEntry(text)).toThrow(ShapeError);
  });
});

describe("proofs of a mesh's log", () => {
  it("[WITNESS-6] lead from an entry to a checkpoint, and other programs make the same", () => {
    const parsed = parseLogProof(proof, sha256);
    expect(parsed).toMatchObject({ index: 1, checkpoint: { size: 5 } });
    expect(parsed.path).toHaveLength(3);
    expect(isInLog(secondEntry, parsed, sha256)).toBe(true);
    expect(isInLog(firstEntry, parsed, sha256)).toBe(false);
    expect(isInLog(secondEntry, { ...parsed, index: 2 }, sha256)).toBe(false);
    expect(formatLogProof({ ...parsed, note })).toBe(proof);
  });

  it("[WITNESS-6] have at most 63 hashes", () => {
    const { index } = parseLogProof(proof, sha256);
    const proofOf = (length: number) =>
      formatLogProof({ index, path: Array.from({ length }, () => new Uint8Array(32)), note });
    expect(parseLogProof(proofOf(63), sha256).path).toHaveLength(63);
    expect(() => parseLogProof(proofOf(64), sha256)).toThrow(ShapeError);
  });

  it.each([
    ["another first line", proof.replace("@v1", "@v2")],
    ["no index", proof.replace("index 1\n", "")],
    ["a zero before the index", proof.replace("index 1", "index 01")],
    ["an index that no number can have", proof.replace("index 1", "index 9007199254740992")],
    ["a short hash", proof.replace(/=\n/, "\n")],
    ["no checkpoint", proof.slice(0, proof.indexOf("\n\n"))],
    ["carriage returns", proof.replaceAll("\n", "\r\n")],
  ])("[WITNESS-6] are refused with %s", (_, changed) => {
    expect(changed).not.toBe(proof);
    expect(() => parseLogProof(changed, sha256)).toThrow(ShapeError);
  });

  it("[WITNESS-6] of consistency lead from an earlier root to a later one, and not from a fork", () => {
    const readRequest = (request: string) => {
      const [head = "", text = ""] = request.split("\n\n");
      const [, ...hashes] = head.split("\n");
      const [, size, root = ""] = text.split("\n");
      const decode = (hash: string) => fromBase64(hash) ?? new Uint8Array();
      return { size: Number(size), root: decode(root), path: hashes.map(decode) };
    };
    const isExtended = (from: number, root: string, to: ReturnType<typeof readRequest>) =>
      verifyConsistency({ from, fromRoot: parseHex(root), ...to }, sha256);
    const later = readRequest(witnessVectors.add_checkpoint_request);
    expect(isExtended(3, witnessVectors.root_3, later)).toBe(true);
    const fork = readRequest(witnessVectors.fork.request);
    expect(isExtended(5, witnessVectors.root_5, fork)).toBe(false);
    expect(isExtended(5, witnessVectors.fork.root_5_that_the_proof_has, fork)).toBe(true);
  });
});
