import { type DeviceKey, drawSeed, toBase64url, toDeviceKey } from "@merkle/wire/identity";
import { deriveSigningKey } from "@merkle/wire/keys";
import { toHex } from "@merkle/wire/record";

/**
 * The key of this device. Scripts cannot read it where the browser has Ed25519 in its Web Crypto API. Elsewhere, such as
 * on a page without TLS, its seed is stored.
 */
type StoredKey = { readonly pair: CryptoKeyPair } | { readonly seed: Uint8Array };

const databaseName = "merkle-own-words";
const storeName = "keys";
const keyName = "device";

/** Returns the key of this device, or null if there is none. */
export async function findDeviceKey(): Promise<DeviceKey | null> {
  const stored = await runInStore("readonly", (keys) => keys.get(keyName));
  return stored === undefined ? null : toKey(stored as StoredKey);
}

/** Returns the key of this device. Creates it on first use. */
export async function getDeviceKey(): Promise<DeviceKey> {
  const known = await findDeviceKey();
  if (known) return known;
  const created = await createKey();
  // If another tab has stored a key in between, that key stays.
  await runInStore("readwrite", (keys) => keys.add(created, keyName)).catch((error: unknown) => {
    if (!(error instanceof DOMException && error.name === "ConstraintError")) throw error;
  });
  return (await findDeviceKey()) ?? toKey(created);
}

async function createKey(): Promise<StoredKey> {
  try {
    // The private key cannot be exported; the public key always can.
    return { pair: await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]) };
  } catch {
    // The browser does not know the algorithm, or the page has no Web Crypto API.
    return { seed: drawSeed() };
  }
}

async function toKey(stored: StoredKey): Promise<DeviceKey> {
  if ("seed" in stored) return toDeviceKey(deriveSigningKey(stored.seed));
  const { publicKey, privateKey } = stored.pair;
  return {
    device: toHex(new Uint8Array(await crypto.subtle.exportKey("raw", publicKey))),
    sign: async (bytes) =>
      toBase64url(new Uint8Array(await crypto.subtle.sign("Ed25519", privateKey, new Uint8Array(bytes)))),
  };
}

async function runInStore(
  mode: IDBTransactionMode,
  work: (keys: IDBObjectStore) => IDBRequest,
): Promise<unknown> {
  const openRequest = indexedDB.open(databaseName, 1);
  openRequest.onupgradeneeded = () => openRequest.result.createObjectStore(storeName);
  const database = await awaitRequest(openRequest);
  try {
    return await awaitRequest(work(database.transaction(storeName, mode).objectStore(storeName)));
  } finally {
    database.close();
  }
}

function awaitRequest<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("IndexedDB is not available."));
  });
}
