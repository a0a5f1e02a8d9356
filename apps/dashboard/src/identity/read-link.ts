/** The purposes of a link: joining, signing in, or observing one session. */
export type LinkKind = "join" | "sign-in" | "observe";

/** A pasted link or secret, with its purpose. */
export interface ParsedLink {
  readonly kind: LinkKind;
  /** The text to send to the broker. For a link, the part after the `#`. */
  readonly secret: string;
  /** The page that the link opens, if it names one. */
  readonly path: string | null;
}

/** Parses a pasted link, or the part after its `#`. A spoken code counts as an invite. Returns null for any other text. */
export function parseLink(text: string): ParsedLink | null {
  const trimmed = text.trim();
  const [, path = "", fragment = ""] = /^https?:\/\/[^/]+(\/[^#\s]*)#(\S+)$/i.exec(trimmed) ?? [];
  const secret = fragment === "" ? trimmed : fragment.replace(/^(?:observe|sign-in)=/, "");
  // The sign-in page does not count as a page to open.
  const page = path === "" || path === "/sign-in" ? null : path;
  if (secret.startsWith("mks_")) return { kind: "sign-in", secret, path: page };
  if (secret.startsWith("mko_")) return { kind: "observe", secret, path: page };
  const isInvite =
    path === "/join" ||
    /^[A-Za-z0-9_-]{22}$/.test(secret) ||
    /^\d+[-\s]?[0-9a-z][0-9a-z\s-]{7,11}$/i.test(secret);
  return isInvite ? { kind: "join", secret, path: null } : null;
}
