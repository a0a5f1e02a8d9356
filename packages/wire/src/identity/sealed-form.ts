/**
 * A sealed text in transit: `mks1.<card>.<nonce>.<box>`. The card is the sender's card as JSON in base64url,
 * the nonce has 24 bytes, and NaCl creates the box. These parts reveal only the text's approximate length.
 */
const sealedForm = /^mks1\.[A-Za-z0-9_-]{200,2400}\.[A-Za-z0-9_-]{32}\.([A-Za-z0-9_-]{22,})$/;

/** True if a text has the form of a sealed text. Only its recipient can determine whether it opens. */
export function isSealed(text: string): boolean {
  return sealedForm.test(text);
}

/** Returns the size of a sealed text's box in bytes, or 0 for any other text. */
export function sealedBytes(text: string): number {
  return Math.floor(((sealedForm.exec(text)?.[1]?.length ?? 0) * 3) / 4);
}
