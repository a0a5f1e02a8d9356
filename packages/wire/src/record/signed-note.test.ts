import { describe, expect, it } from "vitest";
import { noteCrypto, noteSigners, witnessVectors } from "../../../../tests/kit/witness-vectors.js";
import { fromBase64 } from "../core/base64.js";
import { toHex } from "../core/hex.js";
import { ShapeError } from "../core/shape.js";
import {
  formatVerifierKey,
  joinBytes,
  noteKeyTypes,
  noteLimits,
  parseSignedNote,
  parseVerifierKey,
  toNoteKeyId,
} from "./signed-note.js";

const { sha256 } = noteCrypto;
const note = witnessVectors.checkpoint_5_cosigned;
const [, adaLine = ""] = /^(— witness\.example\/ada .*\n)/m.exec(note) ?? [];

describe("signed notes", () => {
  it("[WITNESS-1] have a text and signatures, which the last empty line divides", () => {
    const { text, signatures } = parseSignedNote(note);
    expect(text).toBe(witnessVectors.checkpoint_5_text);
    expect(signatures.map(({ name, keyId, bytes }) => [name, keyId, bytes.length])).toEqual([
      [noteSigners.log.key.name, "c5d86b54", 64],
      ["witness.example/ada", "433fc1f5", 72],
      ["witness.example/ben", "d9f47654", 72],
    ]);
    expect(parseSignedNote(`one\n\ntwo\n\n${adaLine}`).text).toBe("one\n\ntwo\n");
  });

  it.each([
    ["no empty line", note.replace("\n\n", "\n")],
    ["no signature", note.slice(0, note.indexOf("\n\n") + 2)],
    ["no line break at the end", note.slice(0, -1)],
    ["an empty line at the end", `${note}\n`],
    ["carriage returns", note.replaceAll("\n", "\r\n")],
    ["a tab", note.replace("5\n", "5\t\n")],
    ["half of a character", note.replace("5\n", "5\ud83d\n")],
    ["another dash", note.replaceAll("\u2014", "\u2013")],
    ["two spaces", note.replace("\u2014 witness", "\u2014  witness")],
    ["a third part in a line", note.replace(/(ada .*)\n/, "$1 more\n")],
    ["a plus sign in a name", note.replace("example/ada", "example+ada")],
    ["white space in a name", note.replace("example/ada", "example/\u2003ada")],
    ["base64 without padding", note.replaceAll("=\n", "\n")],
    ["base64 with unused bits", note.replace(/(ada .*)w==\n/, "$1x==\n")],
    ["base64 for addresses", note.replace(/(ada .*?)\//, "$1_")],
    ["a signature of four bytes", `${note}\u2014 witness.example/eve AAAAAA==\n`],
    ["too many signatures", note + adaLine.repeat(noteLimits.signaturesMax - 2)],
    ["too many characters", `${"a".repeat(noteLimits.charactersMax)}\n\n${adaLine}`],
  ])("[WITNESS-1] are refused with %s", (_, changed) => {
    expect(changed).not.toBe(note);
    expect(() => parseSignedNote(changed)).toThrow(ShapeError);
  });

  it("[WITNESS-1] can have signatures of keys and types that the reader does not know", () => {
    const { signatures } = parseSignedNote(
      `${note + adaLine.repeat(noteLimits.signaturesMax - 4)}\u2014 mldsa.example/eve AAAAAAY=\n`,
    );
    expect(signatures).toHaveLength(noteLimits.signaturesMax);
  });
});

describe("verifier keys", () => {
  it("[WITNESS-1] have a name, an id and a key, and keep their form", () => {
    for (const { key, vkey } of Object.values(noteSigners)) {
      expect(formatVerifierKey(key, sha256)).toBe(vkey);
      expect(parseVerifierKey(vkey, key.type, sha256)).toEqual(key);
    }
    const { key } = noteSigners.ada;
    expect(toNoteKeyId(key, sha256)).toBe("433fc1f5");
    expect(toNoteKeyId({ ...key, type: noteKeyTypes.log }, sha256)).toBe("f396e258");
  });

  it("[WITNESS-1] are divided by the first two plus signs, since base64 can contain more", () => {
    // The first key whose base64 contains a plus sign.
    const key = Array.from({ length: 256 }, (_, byte) => ({
      name: "witness.example/plus",
      type: noteKeyTypes.witness,
      publicKey: new Uint8Array(32).fill(byte),
    })).find((each) => formatVerifierKey(each, sha256).split("+").length > 3);
    if (!key) throw new Error("No key has a plus sign in its base64.");
    expect(parseVerifierKey(formatVerifierKey(key, sha256), key.type, sha256)).toEqual(key);
  });

  const { vkey } = noteSigners.ada;
  it.each([
    ["another id", vkey.replace("433fc1f5", "433fc1f6")],
    ["an id of the other type", vkey.replace("433fc1f5", "f396e258")],
    ["an id in capitals", vkey.replace("433fc1f5", "433FC1F5")],
    ["another name", vkey.replace("ada", "eve")],
    ["a space in the name", vkey.replace("ada", "a da")],
    ["a control character in the name", vkey.replace("ada", "a\u0001da")],
    ["a key that is too short", vkey.slice(0, -4)],
    ["no key", "witness.example/ada+433fc1f5"],
  ])("[WITNESS-1] are refused with %s", (_, changed) => {
    expect(() => parseVerifierKey(changed, noteKeyTypes.witness, sha256)).toThrow(ShapeError);
  });

  it("[WITNESS-3] of a log are not keys of a witness", () => {
    expect(() => parseVerifierKey(noteSigners.log.vkey, noteKeyTypes.witness, sha256)).toThrow(ShapeError);
    expect(() => parseVerifierKey(vkey, noteKeyTypes.log, sha256)).toThrow(ShapeError);
  });
});

describe("base64 in notes", () => {
  it("[WITNESS-1] has one form for each sequence of bytes", () => {
    expect(fromBase64("")).toEqual(new Uint8Array());
    expect(toHex(fromBase64("+/8=") ?? new Uint8Array())).toBe("fbff");
    for (const text of ["+/8", "+/9=", "-_8=", "+/8=\n", " +/8=", "=", "====", "A===", "+/=8"]) {
      expect(fromBase64(text), text).toBeNull();
    }
    expect([...joinBytes([1], new Uint8Array([2, 3]))]).toEqual([1, 2, 3]);
  });
});
