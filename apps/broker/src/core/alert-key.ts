import { createECDH, createPrivateKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findShared, offerShared, type Queryable } from "@merkle/db";
import { decrypt, encrypt } from "./encrypt.js";
import { StartError } from "./start-error.js";

/** The key that encrypts addresses of alerts, and the one by which push services know this broker. */
export interface AlertKey {
  readonly secret: string;
  /** The key pair of RFC 8292: its public half is what browsers subscribe with, in base64url. */
  readonly vapid: { readonly publicKey: string; readonly privateKey: KeyObject };
}

/** By which nodes give each other the key: the database keeps it, encrypted with a secret that lies outside of it. */
interface SharedKey {
  readonly orm: Queryable;
  readonly secret: string;
}

const sharedName = "alert_key";

/**
 * Reads the home's key, or draws one where there is none (ALERT-7). It lies beside the database and not in it; whoever loses it has
 * every address to be given again. Nodes go by the key of the one that came first (NODE-5).
 *
 * @throws StartError when the file cannot be read or is damaged
 */
export async function openAlertKey(home: string, shared?: SharedKey): Promise<AlertKey> {
  const own = await openOwn(home);
  return toAlertKey(shared ? await agreeOnKey(own, shared) : own);
}

async function agreeOnKey(own: string, { orm, secret }: SharedKey): Promise<string> {
  const found = await findShared(orm, sharedName);
  const known = tryDecrypt(secret, found);
  if (known !== null) return known;
  // What an earlier audit key had encrypted nobody can read any more.
  await offerShared(orm, sharedName, encrypt(secret, sharedName, own).toString("base64url"), found);
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

async function openOwn(home: string): Promise<string> {
  const path = join(home, "alert-key");
  const secret = await readSecret(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    const drawn = `mka_${randomBytes(32).toString("base64url")}`;
    await writeFile(path, drawn, { mode: 0o600, flag: "wx" });
    return drawn;
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
 * Reads a secret of ours and takes the rights of everybody else away: a group that has one member now may have two tomorrow.
 * A file system without modes, or mounted read-only, keeps what it has.
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
  // A number that is no key of the curve comes up once in 2^32 draws at most; it is refused here, and never used.
  pair.setPrivateKey(Buffer.from(hkdfSync("sha256", secret, "", "merkle vapid", 32)));
  const point = pair.getPublicKey();
  const coordinate = (from: number) => point.subarray(from, from + 32).toString("base64url");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    d: pair.getPrivateKey().toString("base64url"),
    x: coordinate(1),
    y: coordinate(33),
  };
  return {
    publicKey: point.toString("base64url"),
    privateKey: createPrivateKey({ key: jwk, format: "jwk" }),
  };
}
