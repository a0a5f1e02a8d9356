import { type KeyObject, sign } from "node:crypto";
import {
  type AuditKeyRow,
  addAuditKeys,
  type Database,
  holdAuditKeys,
  listAuditKeys,
  listOriginKeys,
} from "@merkle/db";
import { type AuditKey, encodeHead, encodeSuccession, type Head, type SignedHead } from "@merkle/wire/record";
import { isSigned } from "../../core/is-signed.js";
import type { Log } from "../../core/log.js";
import type { CoreServices } from "../../core/services.js";
import { sha256 } from "../../core/sha256.js";
import { StartError } from "../../core/start-error.js";
import {
  type AuditKeyFile,
  generateAuditKey,
  getNewestKey,
  readAuditKeyFile,
  setAuditKeyFileAside,
  toAuditKeyPath,
  toPrivateKey,
  writeAuditKeyFile,
} from "./audit-key-file.js";

/** Signs heads with the broker's audit key. */
export interface AuditSigner {
  /** Every key that has signed heads in this database, oldest first. The last key signs new heads. */
  readonly keys: readonly AuditKey[];
  sign(head: Omit<Head, "key_id">): SignedHead;
  /** Signs bytes other than heads, such as an export's manifest. */
  signBytes(bytes: Uint8Array): { readonly key_id: string; readonly signature: string };
  /** Derives a secret for a purpose. All brokers with this key derive the same secret, and no one else can. */
  deriveSecret(purpose: string): string;
}

interface OpenAuditKeyOptions {
  readonly home: string;
  /** Path of a read-only file with a key that several brokers share. By default the key is in the Merkle home. */
  readonly keyFile?: string | undefined;
  readonly database: Database;
  /** Whether to create a new key, not signed by any earlier key, if the home lacks the database's key. */
  readonly shouldCreateKey: boolean;
  readonly log: Log;
}

/**
 * Opens the home's audit key, which must be the database's newest key (AUDITKEY-2). Creates a key for a database without
 * one, and registers a successor that was created in the home.
 *
 * @throws StartError when the home lacks the key, since heads signed with another key would look forged
 */
export async function openAuditKey(options: OpenAuditKeyOptions): Promise<AuditSigner> {
  const { home, keyFile, database } = options;
  const file = await readAuditKeyFile(home, keyFile);
  return database.transaction(async (tx) => {
    await holdAuditKeys(tx);
    const known = (await listAuditKeys(tx)).map(toAuditKey);
    const prepared = await prepareKeys(file, known, options);
    await addAuditKeys(tx, prepared.added.map(toAuditKeyRow));
    return createSigner([...known, ...prepared.added], toPrivateKey(prepared.file.secret));
  });
}

interface PreparedKeys {
  readonly file: AuditKeyFile;
  /** The keys that the database does not contain yet. */
  readonly added: readonly AuditKey[];
}

async function prepareKeys(
  file: AuditKeyFile | null,
  known: readonly AuditKey[],
  { home, keyFile, shouldCreateKey, log }: OpenAuditKeyOptions,
): Promise<PreparedKeys> {
  const newest = known.at(-1);
  if (file) {
    const index = newest ? file.keys.findIndex(({ key_id }) => key_id === newest.key_id) : -1;
    if (!newest) return { file, added: file.keys };
    const added = file.keys.slice(index + 1);
    if (index >= 0 && isSuccession(newest, added)) return { file, added };
  }
  if (keyFile !== undefined && !file) {
    throw new StartError("no_audit_key", `MERKLE_AUDIT_KEY_FILE names ${keyFile}, which does not exist.`);
  }
  if (newest && (keyFile !== undefined || !shouldCreateKey))
    throw auditKeyMissing(keyFile ?? toAuditKeyPath(home), newest, file);
  if (file) {
    const aside = await setAuditKeyFileAside(home, getNewestKey(file));
    log.warn("the audit key of another database was moved aside", { file: aside });
  }
  const created = generateAuditKey(known);
  // The key file is written before the key is registered. If a registered key were lost, no broker could
  // start.
  await writeAuditKeyFile(home, created);
  log.info("created an audit key", { key_id: getNewestKey(created).key_id, succeeds: null });
  return { file: created, added: [getNewestKey(created)] };
}

/** Returns whether each key is signed by its predecessor. */
function isSuccession(newest: AuditKey, added: readonly AuditKey[]): boolean {
  return added.every((key, index) => {
    const before = added[index - 1] ?? newest;
    const { previous, succession } = key;
    return (
      previous === before.key_id &&
      succession !== null &&
      isSigned(encodeSuccession(key), { key: before.public_key, signature: succession })
    );
  });
}

function createSigner(keys: readonly AuditKey[], privateKey: KeyObject): AuditSigner {
  const key_id = keys.at(-1)?.key_id ?? "";
  const signBytes = (bytes: Uint8Array) => ({
    key_id,
    signature: sign(null, bytes, privateKey).toString("base64url"),
  });
  return {
    keys,
    signBytes,
    // Ed25519 signatures are deterministic, and this signature is never published, so only holders of the key
    // can derive the secret.
    deriveSecret(purpose) {
      const { signature } = signBytes(Buffer.from(`merkle secret of nodes: ${purpose}`));
      return sha256(signature, "base64url");
    },
    sign(unsigned) {
      const head: Head = { ...unsigned, key_id };
      return { ...head, signature: signBytes(encodeHead(head)).signature };
    },
  };
}

/**
 * Returns the ids of a key (default: the newest) and of all its predecessors, newest first. Does not verify
 * the signatures between keys again.
 */
export function listSuccession(keys: readonly AuditKey[], keyId = keys.at(-1)?.key_id): string[] {
  const keyIds: string[] = [];
  let key = keys.find(({ key_id }) => key_id === keyId);
  while (key && !keyIds.includes(key.key_id)) {
    const { key_id, previous, succession } = key;
    keyIds.push(key_id);
    key = succession === null ? undefined : keys.find((each) => each.key_id === previous);
  }
  return keyIds;
}

export function toAuditKey(row: AuditKeyRow): AuditKey {
  return {
    key_id: row.keyId,
    public_key: Buffer.from(row.publicKey).toString("base64url"),
    since: row.since.toISOString(),
    previous: row.previous,
    succession: row.succession && Buffer.from(row.succession).toString("base64url"),
  };
}

export function toAuditKeyRow(key: AuditKey): AuditKeyRow {
  return {
    keyId: key.key_id,
    publicKey: Buffer.from(key.public_key, "base64url"),
    since: new Date(key.since),
    previous: key.previous,
    succession: key.succession === null ? null : Buffer.from(key.succession, "base64url"),
  };
}

function auditKeyMissing(path: string, newest: AuditKey, file: AuditKeyFile | null): StartError {
  const has = file ? `has another key (${getNewestKey(file).key_id.slice(0, 8)})` : "does not exist";
  return new StartError(
    "no_audit_key",
    `This database's records are signed with the audit key ${newest.key_id.slice(0, 8)}, but ${path} ${has}. ` +
      "Copy audit-key.json from the Merkle home of the broker that last used this database. If the key is lost, start with --new-audit-key: " +
      "records are then signed with a key that no earlier key vouches for, and people who stored an earlier key are warned.",
  );
}

/**
 * Returns the keys that a session's heads are signed with. The keys from the session's origin come first, and
 * the last key signs new heads.
 */
export async function readAuditKeysOfSession(
  { database, signer }: Pick<CoreServices, "database"> & { readonly signer: AuditSigner },
  sessionId: string,
): Promise<readonly AuditKey[]> {
  const own = new Set(signer.keys.map(({ key_id }) => key_id));
  const ofOrigin = (await listOriginKeys(database.orm, sessionId)).map(toAuditKey);
  return [...ofOrigin.filter(({ key_id }) => !own.has(key_id)), ...signer.keys];
}
