import { chosenMesh, leaveMesh } from "./chosen-mesh";

/**
 * The page's half of the browser's sign-in. The other half is the cookie (TOKEN-8). A cookie is sent to every port of its host,
 * but only pages of this origin can read IndexedDB.
 */
const databaseName = "merkle";
const storeName = "sign-in";
const key = "page-token";

/** Returns the page token, or undefined if the browser is not signed in. */
export async function findPageToken(): Promise<string | undefined> {
  const token: unknown = await runInStore("readonly", (tokens) => tokens.get(key)).catch(() => undefined);
  return typeof token === "string" ? token : undefined;
}

export async function storePageToken(token: string): Promise<void> {
  leaveMesh();
  await runInStore("readwrite", (tokens) => tokens.put(token, key));
}

export async function clearPageToken(): Promise<void> {
  await runInStore("readwrite", (tokens) => tokens.delete(key));
}

/** Returns the headers that authenticate a request as the signed-in person. */
export async function readPageHeaders(): Promise<Record<string, string>> {
  return toHeaders(await findPageToken());
}

export function toHeaders(token: string | undefined): Record<string, string> {
  if (token !== undefined) return { "x-merkle-page": token };
  return chosenMesh === undefined ? {} : { "x-merkle-mesh": chosenMesh };
}

async function runInStore(
  mode: IDBTransactionMode,
  work: (tokens: IDBObjectStore) => IDBRequest,
): Promise<unknown> {
  const openRequest = indexedDB.open(databaseName, 1);
  openRequest.onupgradeneeded = () => openRequest.result.createObjectStore(storeName);
  const openDatabase = await awaitRequest(openRequest);
  try {
    return await awaitRequest(work(openDatabase.transaction(storeName, mode).objectStore(storeName)));
  } finally {
    openDatabase.close();
  }
}

function awaitRequest<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("This browser can't store anything."));
  });
}
