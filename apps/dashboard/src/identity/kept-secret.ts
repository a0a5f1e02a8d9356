/**
 * Kinds of secret that only this tab stores, each from a link to join, sign in or verify. `then` is not a secret, but
 * the page to open after signing in.
 */
export type SecretKind = "join" | "sign-in" | "then" | "verification";

export const secretKeyPrefix = "merkle.secret.";

export function getKept(what: SecretKind): string | null {
  try {
    return sessionStorage.getItem(secretKeyPrefix + what);
  } catch {
    return null; // Without storage, the user can still paste the link.
  }
}

/** Returns the secret and deletes it. */
export function takeKept(what: SecretKind): string | null {
  const kept = getKept(what);
  forgetKept(what);
  return kept;
}

export function keep(what: SecretKind, text: string): void {
  sessionStorage.setItem(secretKeyPrefix + what, text);
}

export function forgetKept(what: SecretKind): void {
  try {
    sessionStorage.removeItem(secretKeyPrefix + what);
  } catch {
    // If storage is unavailable, there is no secret to delete.
  }
}
