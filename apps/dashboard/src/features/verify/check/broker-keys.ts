import type { AuditKey } from "@merkle/wire/record";

/** The keys that this page's broker signs records with, oldest first; none if it does not answer. */
export async function readBrokerKeys(signal?: AbortSignal): Promise<readonly AuditKey[]> {
  try {
    const response = await fetch("/.well-known/merkle-audit-key", signal ? { signal } : {});
    if (!response.ok) return [];
    const { keys } = Object(await response.json());
    return Array.isArray(keys) ? keys.filter(isKey) : [];
  } catch {
    return []; // A record that is signed by keys that were seen before can be checked without these.
  }
}

function isKey(value: unknown): value is AuditKey {
  const { key_id, public_key, since, previous, succession } = Object(value);
  return (
    [key_id, public_key, since].every((field) => typeof field === "string") &&
    [previous, succession].every((field) => field === null || typeof field === "string")
  );
}
