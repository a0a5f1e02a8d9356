/**
 * The form of sealed text in transit: `mks1.<card>.<nonce>.<box>`. The card is the sender's key card as JSON
 * in base64url, the nonce has 24 bytes, and the box is a NaCl box. These parts reveal only the approximate
 * length of the text.
 */
const sealedForm = /^mks1\.[A-Za-z0-9_-]{200,2400}\.[A-Za-z0-9_-]{32}\.([A-Za-z0-9_-]{22,})$/;

/**
 * Returns true if a string has the form of sealed text. Only the recipient can find out whether it can be
 * opened.
 */
export function isSealed(text: string): boolean {
  return sealedForm.test(text);
}

/** Returns the size in bytes of the box in sealed text, or 0 for any other text. */
export function countSealedBytes(text: string): number {
  return Math.floor(((sealedForm.exec(text)?.[1]?.length ?? 0) * 3) / 4);
}
