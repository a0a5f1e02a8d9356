import type { AuditKey } from "@merkle/wire/record";
import { StartError } from "../../core/start-error.js";
import {
  generateSuccessor,
  getNewestKey,
  readAuditKeyFile,
  toAuditKeyPath,
  writeAuditKeyFile,
} from "./audit-key-file.js";

/**
 * Returns the public parts of a home's audit keys, oldest first. Empty if no broker has run in the home yet.
 *
 * @throws StartError when the file is damaged
 */
export async function readAuditKeys(home: string): Promise<readonly AuditKey[]> {
  return (await readAuditKeyFile(home))?.keys ?? [];
}

/**
 * Creates the successor of a home's audit key, signed by that key, and discards the old secret. A running
 * broker keeps using the key that it has loaded, and uses the new key from its next start (AUDITKEY-4).
 *
 * @throws StartError when the home has no key, or a damaged one
 */
export async function rotateAuditKey(home: string): Promise<AuditKey> {
  const file = await readAuditKeyFile(home);
  if (!file) {
    throw new StartError(
      "no_audit_key",
      `There is no audit key to rotate: ${toAuditKeyPath(home)} does not exist. The broker creates it when it first starts.`,
    );
  }
  const next = generateSuccessor(file);
  await writeAuditKeyFile(home, next);
  return getNewestKey(next);
}
