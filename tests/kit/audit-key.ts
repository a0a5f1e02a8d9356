import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toBase64url } from "@merkle/wire/identity";
import { deriveSigningKey } from "@merkle/wire/keys";
import { type AuditKey, toAuditKeyId } from "@merkle/wire/record";

/**
 * Writes an audit key into a home. The same `words` give the same key. Brokers with different homes can then run on one
 * database, one after another, like machines whose owner has copied the key file.
 */
export async function putAuditKey(home: string, words = usual): Promise<void> {
  const key = words === usual ? testAuditKey : auditKeyOf(words);
  const file = { keys: [key], secret: toBase64url(seedOf(words)) };
  await writeFile(join(home, "audit-key.json"), JSON.stringify(file), { mode: 0o600 });
}

const usual = "the audit key of tests";
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
const seedOf = (words: string) => sha256(Buffer.from(words));

function auditKeyOf(words: string): AuditKey {
  const { publicKey } = deriveSigningKey(seedOf(words));
  return {
    key_id: toAuditKeyId(Buffer.from(publicKey, "base64url"), sha256),
    public_key: publicKey,
    since: "2026-01-01T00:00:00.000Z",
    previous: null,
    succession: null,
  };
}

export const testAuditKey = auditKeyOf(usual);
