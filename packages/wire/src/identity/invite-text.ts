/** An invite as a user enters it: either the secret from an invite link, or a spoken code. */
export type ParsedInvite =
  | { readonly kind: "secret"; readonly secret: string }
  | { readonly kind: "code"; readonly number: number; readonly code: string };

/**
 * Parses an invite link, the part of a link after the `#`, or a code such as `31-7KQ2-M4XD`. In a code,
 * dashes and spaces are optional, case is ignored, O counts as 0, and I and L count as 1 (INVITE-3). Returns
 * null for any other text.
 */
export function parseInvite(text: string): ParsedInvite | null {
  const trimmed = text.slice(text.lastIndexOf("#") + 1).trim();
  if (secretForm.test(trimmed)) return { kind: "secret", secret: trimmed };
  const plain = trimmed.replaceAll(/[-\s]/g, "").toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  const [, number, code] = codeForm.exec(plain) ?? [];
  return number && code ? { kind: "code", number: Number(number), code } : null;
}

/** Formats an invite code so that it can be read aloud. */
export function formatInviteCode(number: number, code: string): string {
  return `${number}-${code.slice(0, 4)}-${code.slice(4)}`;
}

/** Finds the secrets of all invite links in `text`. */
export function findInviteSecrets(text: string): string[] {
  return Array.from(text.matchAll(linkForm), ([, secret = ""]) => secret);
}

/** A secret of 132 bits. */
const secretForm = /^[A-Za-z0-9_-]{22}$/;
/** The invite's number, followed by 40 bits in Crockford's base32, which does not use I, L, O or U. */
const codeForm = /^(\d{1,10})([0-9A-HJKMNP-TV-Z]{8})$/;
const linkForm = /\/join#([A-Za-z0-9_-]{22})(?![A-Za-z0-9_-])/g;
