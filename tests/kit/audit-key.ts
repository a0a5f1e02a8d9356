import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { signingKeyFrom, toBase64url } from "@merkle/wire/identity";
import { type AuditKey, auditKeyId } from "@merkle/wire/record";

/**
 * Puts one and the same audit key into a home: brokers of several homes can then run on one database, one after the other,
 * as those of several machines do whose owner has copied the file.
 */
export async function putAuditKey(home: string): Promise<void> {
  const file = { keys: [testAuditKey], secret: toBase64url(seed) };
  await writeFile(join(home, "audit-key.json"), JSON.stringify(file), { mode: 0o600 });
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
const seed = sha256(Buffer.from("the audit key of tests"));
const { publicKey } = signingKeyFrom(seed);

export const testAuditKey: AuditKey = {
  key_id: auditKeyId(Buffer.from(publicKey, "base64url"), sha256),
  public_key: publicKey,
  since: "2026-01-01T00:00:00.000Z",
  previous: null,
  succession: null,
};
