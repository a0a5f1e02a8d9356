import { drawSeed, fromBase64url, toBase64url } from "@merkle/wire/identity";
import { deriveSigningKey } from "@merkle/wire/keys";
import { isNoteName, type NoteKey, noteKeyTypes } from "@merkle/wire/record";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { explainHomeErrors, homeFiles } from "../../core/merkle-home.js";
import { readPrivateJson, writePrivateJson } from "../../core/private-file.js";
import { waitForProcessLock } from "../../core/process-lock.js";

/**
 * The key with which a witness cosigns. The signed bytes do not contain the witness's name, so each witness has
 * a key of its own, which signs nothing else.
 */
export interface WitnessKey {
  readonly key: NoteKey;
  sign(bytes: Uint8Array): Uint8Array;
}

/**
 * Returns the key with which this home cosigns. Creates the key on first use (WITNESS-25).
 *
 * @param name - name of a new key (an existing key keeps its name)
 */
export async function getWitnessKey(home: string, name: string): Promise<WitnessKey> {
  const path = homeFiles.witnessKey(home);
  return explainHomeErrors(home, async () => {
    const lock = await waitForProcessLock(`${path}.lock`, 2_000);
    try {
      const stored = readPrivateJson(path);
      if (stored !== undefined) return parseWitnessKey(stored, path);
      const created = { name, seed: toBase64url(drawSeed()) };
      const key = parseWitnessKey(created, path);
      writePrivateJson(path, created, true);
      return key;
    } finally {
      await lock.release();
    }
  });
}

function parseWitnessKey(stored: unknown, path: string): WitnessKey {
  const { name, seed } = Object(stored);
  const bytes = typeof seed === "string" ? fromBase64url(seed, 32) : null;
  if (typeof name !== "string" || !isNoteName(name) || !bytes) {
    throw new CliError(
      "unreadable",
      `${path}, which contains this home's witness key, is not valid. Restore the file from a backup, or move it away to create a new key.`,
      { exitCode: exitCodes.unexpected },
    );
  }
  const signingKey = deriveSigningKey(bytes);
  return {
    key: { name, type: noteKeyTypes.witness, publicKey: requireBytes(signingKey.publicKey, 32) },
    sign: (message) => requireBytes(signingKey.sign(message), 64),
  };
}

function requireBytes(text: string, length: number): Uint8Array {
  const bytes = fromBase64url(text, length);
  if (!bytes) throw new Error(`A signing key returned bytes that are not ${length} long.`);
  return bytes;
}
