import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { insertVerificationCode, type Transaction, takeVerificationCode } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { IdentityServices } from "../context.js";
import { hashSecret } from "../credential.js";

/**
 * A secret in the Merkle home. Only the user that runs the broker can read it, and may therefore create
 * verification links (PERSON-10).
 */
export interface HomeKey {
  readonly text: string;
  remove(): Promise<void>;
}

/**
 * Generates a key that is valid while this broker runs, and writes it to a file that only the broker's user
 * can read.
 */
export async function writeHomeKey(home: string): Promise<HomeKey> {
  const path = join(home, "home-key");
  const text = `mkh_${randomBytes(32).toString("base64url")}`;
  // Overwriting an existing file would keep its permissions, so it is deleted first.
  await rm(path, { force: true });
  await writeFile(path, text, { mode: 0o600, flag: "wx" });
  return { text, remove: () => rm(path, { force: true }) };
}

/** A code that verifies one person once, and a link that enters the code in a browser. */
export interface IssuedVerificationCode {
  readonly code: string;
  readonly link: string;
  readonly expiresAt: Date;
}

export async function makeVerificationCode(
  tx: Transaction,
  { addresses }: Pick<IdentityServices, "addresses">,
  seconds: number,
): Promise<IssuedVerificationCode> {
  const code = `mkv_${randomBytes(32).toString("base64url")}`;
  const expiresAt = await insertVerificationCode(tx, { secretHash: hashSecret(code), seconds });
  return { code, link: `${addresses.getBaseUrl()}/#verify=${code}`, expiresAt };
}

/**
 * Uses up a verification code in the caller's transaction. If several callers use the same code, exactly one succeeds.
 *
 * @throws forbidden
 */
export async function useVerificationCode(tx: Transaction, code: string): Promise<void> {
  if (await takeVerificationCode(tx, hashSecret(code))) return;
  throw invalidVerificationLink();
}

export function invalidVerificationLink(): MerkleError {
  return new MerkleError(
    "forbidden",
    "This verification link is not valid: it was already used, has expired, or is incomplete. Run merkle open on the broker's machine to get a new link.",
  );
}
