import type { AuditKey } from "@merkle/wire/record";

/** Returns the keys with which this page's broker signs records, oldest first. Empty if the broker does not answer. */
export async function readBrokerKeys(signal?: AbortSignal): Promise<readonly AuditKey[]> {
  try {
    const response = await fetch("/.well-known/merkle-audit-key", signal ? { signal } : {});
    if (!response.ok) return [];
    const { keys } = Object(await response.json());
    return Array.isArray(keys) ? keys.filter(isKey) : [];
  } catch {
    return []; // Records signed by keys that this browser has seen before can still be checked.
  }
}

function isKey(value: unknown): value is AuditKey {
  const { key_id, public_key, since, previous, succession } = Object(value);
  return (
    [key_id, public_key, since].every((field) => typeof field === "string") &&
    [previous, succession].every((field) => field === null || typeof field === "string")
  );
}
