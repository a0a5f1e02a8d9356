/** The purposes of a link: joining, signing in, or looking on in one session. */
export type LinkKind = "join" | "sign-in" | "observe";

/** A pasted link, or its secret alone, and what it is good for. */
export interface ReadLink {
  readonly kind: LinkKind;
  /** The text that is given to the broker: of a link, the part behind the #. */
  readonly secret: string;
  /** The page that it is for, where it names one. */
  readonly path: string | null;
}

/** Reads a pasted link, or the part after its #; null for anything else. A spoken code is an invite. */
export function readLink(text: string): ReadLink | null {
  const typed = text.trim();
  const [, path = "", fragment = ""] = /^https?:\/\/[^/]+(\/[^#\s]*)#(\S+)$/i.exec(typed) ?? [];
  const secret = fragment === "" ? typed : fragment.replace(/^(?:observe|sign-in)=/, "");
  // A sign-in page is not a destination.
  const page = path === "" || path === "/sign-in" ? null : path;
  if (secret.startsWith("mks_")) return { kind: "sign-in", secret, path: page };
  if (secret.startsWith("mko_")) return { kind: "observe", secret, path: page };
  const isInvite =
    path === "/join" ||
    /^[A-Za-z0-9_-]{22}$/.test(secret) ||
    /^\d+[-\s]?[0-9a-z][0-9a-z\s-]{7,11}$/i.test(secret);
  return isInvite ? { kind: "join", secret, path: null } : null;
}
