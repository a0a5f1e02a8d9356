import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { insertVerificationCode, type Transaction, takeVerificationCode } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { IdentityServices } from "../context.js";
import { hashSecret } from "../credential.js";

/** The key of a Merkle home: whoever can read it is the user whose broker runs there, and may make links that verify (PERSON-10). */
export interface HomeKey {
  readonly text: string;
  remove(): Promise<void>;
}

/** Draws a key that lasts as long as this broker runs, and keeps it for its own user's eyes. */
export async function writeHomeKey(home: string): Promise<HomeKey> {
  const path = join(home, "home-key");
  const text = `mkh_${randomBytes(32).toString("base64url")}`;
  // A file that was there keeps its mode when it is written over.
  await rm(path, { force: true });
  await writeFile(path, text, { mode: 0o600, flag: "wx" });
  return { text, remove: () => rm(path, { force: true }) };
}

/** A code that verifies one person, once, with the link that brings it to a browser. */
export interface VerificationCode {
  readonly code: string;
  readonly link: string;
  readonly expiresAt: Date;
}

export async function makeVerificationCode(
  tx: Transaction,
  { addresses }: Pick<IdentityServices, "addresses">,
  seconds: number,
): Promise<VerificationCode> {
  const code = `mkv_${randomBytes(32).toString("base64url")}`;
  const expiresAt = await insertVerificationCode(tx, { secretHash: hashSecret(code), seconds });
  return { code, link: `${addresses.base()}/#verify=${code}`, expiresAt };
}

/**
 * Uses a code up with what it is used for; of any number who bring one, one has it.
 *
 * @throws forbidden
 */
export async function useVerificationCode(tx: Transaction, code: string): Promise<void> {
  if (await takeVerificationCode(tx, hashSecret(code))) return;
  throw verifiesNobody();
}

export function verifiesNobody(): MerkleError {
  return new MerkleError(
    "forbidden",
    "This verification link is not valid: it was already used, has expired, or is incomplete. Run merkle open on the broker's machine to get a new link.",
  );
}
