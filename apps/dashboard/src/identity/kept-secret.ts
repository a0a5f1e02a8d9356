/** What this tab alone keeps: the secret of a link to join, to sign in or to verify by, and where to go on then. */
export type KeptThing = "join" | "sign-in" | "then" | "verification";

export const secretKeyPrefix = "merkle.secret.";

export function getKept(what: KeptThing): string | null {
  try {
    return sessionStorage.getItem(secretKeyPrefix + what);
  } catch {
    return null; // A browser that keeps nothing; the link can be pasted.
  }
}

/** Gets it and keeps it no longer. */
export function takeKept(what: KeptThing): string | null {
  const kept = getKept(what);
  forgetKept(what);
  return kept;
}

export function keep(what: KeptThing, text: string): void {
  sessionStorage.setItem(secretKeyPrefix + what, text);
}

export function forgetKept(what: KeptThing): void {
  try {
    sessionStorage.removeItem(secretKeyPrefix + what);
  } catch {
    // There was nothing.
  }
}
