/**
 * Kinds of secret that only this tab stores, each from a link to join, sign in or verify. `then` is not a secret, but
 * the page to open after signing in.
 */
export type SecretKind = "join" | "sign-in" | "then" | "verification";

export const secretKeyPrefix = "merkle.secret.";

export function findSecret(kind: SecretKind): string | null {
  try {
    return sessionStorage.getItem(secretKeyPrefix + kind);
  } catch {
    return null; // Without storage, the user can still paste the link.
  }
}

/** Returns the secret and deletes it. */
export function takeSecret(kind: SecretKind): string | null {
  const secret = findSecret(kind);
  clearSecret(kind);
  return secret;
}

export function storeSecret(kind: SecretKind, text: string): void {
  sessionStorage.setItem(secretKeyPrefix + kind, text);
}

export function clearSecret(kind: SecretKind): void {
  try {
    sessionStorage.removeItem(secretKeyPrefix + kind);
  } catch {
    // If storage is unavailable, there is no secret to delete.
  }
}
