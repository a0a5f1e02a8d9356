/** An invite as somebody gave it: the secret of its link, or its spoken code. */
export type InviteWords =
  | { readonly kind: "secret"; readonly secret: string }
  | { readonly kind: "code"; readonly number: number; readonly code: string };

/**
 * Understands a link, the part of one behind the `#`, or a code such as `31-7KQ2-M4XD`: with dashes and blanks or without, in
 * any case, O taken for 0 and I and L for 1 (INVITE-3). Null for anything else.
 */
export function parseInvite(text: string): InviteWords | null {
  const given = text.slice(text.lastIndexOf("#") + 1).trim();
  if (secretForm.test(given)) return { kind: "secret", secret: given };
  const plain = given.replaceAll(/[-\s]/g, "").toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  const [, number, code] = codeForm.exec(plain) ?? [];
  return number && code ? { kind: "code", number: Number(number), code } : null;
}

/** The code as it is read out. */
export function writeInviteCode(number: number, code: string): string {
  return `${number}-${code.slice(0, 4)}-${code.slice(4)}`;
}

/** Every secret of an invite's link within a text. */
export function findInviteSecrets(text: string): string[] {
  return Array.from(text.matchAll(linkForm), ([, secret = ""]) => secret);
}

/** 132 bits. */
const secretForm = /^[A-Za-z0-9_-]{22}$/;
/** The invite's number, then 40 bits in Crockford's base32, which has no I, L, O and U. */
const codeForm = /^(\d{1,10})([0-9A-HJKMNP-TV-Z]{8})$/;
const linkForm = /\/join#([A-Za-z0-9_-]{22})(?![A-Za-z0-9_-])/g;
