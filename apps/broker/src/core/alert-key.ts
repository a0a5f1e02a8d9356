import { createECDH, createPrivateKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findShared, offerShared, type Queryable } from "@merkle/db";
import { decrypt, encrypt } from "./encrypt.js";
import { StartError } from "./start-error.js";

/** The key that encrypts alert addresses, and the key pair that identifies this broker to push services. */
export interface AlertKey {
  readonly secret: string;
  /** The key pair of RFC 8292. Browsers subscribe with its public key, in base64url. */
  readonly vapid: { readonly publicKey: string; readonly privateKey: KeyObject };
}

/**
 * Lets the nodes share the alert key through the database, encrypted with a secret that is not in the database.
 */
interface SharedKey {
  readonly orm: Queryable;
  readonly secret: string;
}

const sharedName = "alert_key";

/**
 * Reads the key from the Merkle home, or generates one (ALERT-7). The key is stored outside the database. If
 * the key is lost, all alert addresses must be entered again. All nodes use the key that the first node
 * stored (NODE-5).
 *
 * @throws StartError when the file cannot be read or is damaged
 */
export async function openAlertKey(home: string, shared?: SharedKey): Promise<AlertKey> {
  const own = await readOrCreateSecret(home);
  return toAlertKey(shared ? await agreeOnKey(own, shared) : own);
}

async function agreeOnKey(own: string, { orm, secret }: SharedKey): Promise<string> {
  const stored = await findShared(orm, sharedName);
  const sharedSecret = tryDecrypt(secret, stored);
  if (sharedSecret !== null) return sharedSecret;
  // A value encrypted with an earlier audit key can no longer be decrypted, so it is replaced.
  await offerShared(orm, sharedName, encrypt(secret, sharedName, own).toString("base64url"), stored);
  return tryDecrypt(secret, await findShared(orm, sharedName)) ?? own;
}

function tryDecrypt(secret: string, text: string | null): string | null {
  if (text === null) return null;
  try {
    return decrypt(secret, sharedName, Buffer.from(text, "base64url"));
  } catch {
    return null;
  }
}

function toAlertKey(secret: string): AlertKey {
  return { secret, vapid: deriveVapid(secret) };
}

async function readOrCreateSecret(home: string): Promise<string> {
  const path = join(home, "alert-key");
  const secret = await readSecret(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    const generated = `mka_${randomBytes(32).toString("base64url")}`;
    await writeFile(path, generated, { mode: 0o600, flag: "wx" });
    return generated;
  });
  if (!/^mka_[\w-]{43}$/.test(secret)) {
    throw new StartError(
      "bad_setting",
      `${path} is damaged: it is not the file that the broker wrote. Restore a copy of it. If you have none, move the file away and set up alerts again.`,
    );
  }
  return secret;
}

/**
 * Reads a secret file and makes it inaccessible to other users and to the group, whose membership may grow.
 * Permissions stay unchanged on a file system that has no modes or is mounted read-only.
 */
async function readSecret(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { mode, uid } = await file.stat();
    if ((mode & 0o077) !== 0 && uid === process.getuid?.()) await file.chmod(0o600).catch(() => undefined);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function deriveVapid(secret: string): AlertKey["vapid"] {
  const pair = createECDH("prime256v1");
  // Throws if the derived number is not a valid private key. That happens in at most one of 2^32 homes.
  pair.setPrivateKey(Buffer.from(hkdfSync("sha256", secret, "", "merkle vapid", 32)));
  const point = pair.getPublicKey();
  const encodeCoordinate = (from: number) => point.subarray(from, from + 32).toString("base64url");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    d: pair.getPrivateKey().toString("base64url"),
    x: encodeCoordinate(1),
    y: encodeCoordinate(33),
  };
  return {
    publicKey: point.toString("base64url"),
    privateKey: createPrivateKey({ key: jwk, format: "jwk" }),
  };
}
