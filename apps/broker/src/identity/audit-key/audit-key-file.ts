import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type AuditKey, encodeSuccession, toAuditKeyId } from "@merkle/wire/record";
import * as z from "zod";
import { sha256 } from "../../core/sha256.js";
import { StartError } from "../../core/start-error.js";

/**
 * The keys that sign heads, as stored in a Merkle home: the newest key's secret and the public part of every
 * key.
 */
export interface AuditKeyFile {
  /** All keys, oldest first. `secret` belongs to the last key. */
  readonly keys: readonly [AuditKey, ...AuditKey[]];
  /** The seed of the ed25519 key (RFC 8032), in base64url. */
  readonly secret: string;
}

const Key = z.strictObject({
  key_id: z.string(),
  public_key: z.string(),
  since: z.iso.datetime({ precision: 3 }),
  previous: z.string().nullable(),
  succession: z.string().nullable(),
});
const File = z.strictObject({ keys: z.tuple([Key], Key), secret: z.string() });

export function toAuditKeyPath(home: string): string {
  return join(home, "audit-key.json");
}

/**
 * Reads the audit keys of a Merkle home. Returns null if there is no file.
 *
 * @throws StartError when the file cannot be read or is damaged, or when its secret does not belong to its last key
 */
export async function readAuditKeyFile(
  home: string,
  path = toAuditKeyPath(home),
): Promise<AuditKeyFile | null> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw badFile(`${path} cannot be read (${error.code}). Correct its permissions.`, error);
  });
  if (text === null) return null;
  const parsed = File.safeParse(parseJson(text));
  if (!parsed.success || !isSecretOf(parsed.data.secret, getNewestKey(parsed.data))) {
    throw badFile(
      `${path} is damaged: it is not the file that the broker wrote. Restore a copy of it. If you have none, move the file away and start with --new-audit-key.`,
    );
  }
  return parsed.data;
}

export function getNewestKey({ keys }: Pick<AuditKeyFile, "keys">): AuditKey {
  return keys.at(-1) ?? keys[0];
}

/** Generates a key that is not signed by any earlier key. */
export function generateAuditKey(earlier: readonly AuditKey[] = []): AuditKeyFile {
  const { secret, publicKey } = generateKey();
  const key = toAuditKey(publicKey, { since: new Date().toISOString(), previous: null, succession: null });
  return withKey(earlier, key, secret);
}

/** Generates the next key for a file, signed by the file's newest key. */
export function generateSuccessor(file: AuditKeyFile): AuditKeyFile {
  const before = getNewestKey(file);
  const { secret, publicKey } = generateKey();
  // A key's time is never before its predecessor's, even if the clock was set back.
  const since = new Date(Math.max(Date.now(), Date.parse(before.since))).toISOString();
  const statement = { previous: before.key_id, public_key: publicKey.toString("base64url"), since };
  const succession = sign(null, encodeSuccession(statement), toPrivateKey(file.secret)).toString("base64url");
  return withKey(file.keys, toAuditKey(publicKey, { since, previous: before.key_id, succession }), secret);
}

/** Writes the file atomically and syncs it to disk, readable only by its owner. */
export async function writeAuditKeyFile(home: string, file: AuditKeyFile): Promise<void> {
  const path = toAuditKeyPath(home);
  const temporaryPath = `${path}.${process.pid}`;
  try {
    const handle = await open(temporaryPath, "w", 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(file, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporaryPath, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporaryPath, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw badFile(`${path} cannot be written (${code}), and without it no record can be signed.`, error);
  }
}

/** Renames the existing key file and returns the new path. */
export async function setAuditKeyFileAside(home: string, { key_id }: AuditKey): Promise<string> {
  const aside = join(home, `audit-key-${key_id.slice(0, 8)}.json`);
  await rename(toAuditKeyPath(home), aside);
  return aside;
}

export function toPrivateKey(secret: string): KeyObject {
  const der = Buffer.concat([derPrefix, Buffer.from(secret, "base64url")]);
  return createPrivateKey({ format: "der", type: "pkcs8", key: der });
}

/**
 * First bytes of the DER encoding of an ed25519 private key (RFC 8410, section 10.3). The 32-byte seed
 * follows these bytes.
 */
const derPrefix = Buffer.from("302e020100300506032b657004220420", "hex");

function derivePublicKey(secret: string): string {
  return createPublicKey(toPrivateKey(secret)).export({ format: "jwk" }).x ?? "";
}

function isSecretOf(secret: string, key: AuditKey): boolean {
  const isSeed = Buffer.from(secret, "base64url").length === 32;
  return isSeed && derivePublicKey(secret) === key.public_key && hasMatchingId(key);
}

function hasMatchingId({ key_id, public_key }: AuditKey): boolean {
  return toAuditKeyId(Buffer.from(public_key, "base64url"), sha256) === key_id;
}

function generateKey(): { secret: string; publicKey: Buffer } {
  const secret = randomBytes(32).toString("base64url");
  return { secret, publicKey: Buffer.from(derivePublicKey(secret), "base64url") };
}

function toAuditKey(publicKey: Buffer, facts: Pick<AuditKey, "since" | "previous" | "succession">): AuditKey {
  return { key_id: toAuditKeyId(publicKey, sha256), public_key: publicKey.toString("base64url"), ...facts };
}

function withKey(earlier: readonly AuditKey[], key: AuditKey, secret: string): AuditKeyFile {
  const [first, ...rest] = [...earlier, key];
  return { keys: [first ?? key, ...rest], secret };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Syncs a folder, because a rename is durable only once its folder is synced. Some systems cannot open or
 * sync a folder, and do not need to.
 */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => null);
  try {
    await folder?.sync();
  } catch (error) {
    if (!["EINVAL", "EPERM", "ENOTSUP"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    await folder?.close();
  }
}

function badFile(message: string, cause?: unknown): StartError {
  return new StartError("bad_audit_key", message, { cause });
}
