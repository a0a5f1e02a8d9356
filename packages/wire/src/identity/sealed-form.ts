/**
 * A sealed text on its way: `mks1.<card>.<nonce>.<box>`. The card is the sender's, as base64url of its JSON; the nonce has
 * 24 bytes; the box is what NaCl made. Nothing of the three says what the text is, only about how long.
 */
const sealedForm = /^mks1\.[A-Za-z0-9_-]{200,2400}\.[A-Za-z0-9_-]{32}\.([A-Za-z0-9_-]{22,})$/;

/** Whether a text has the form of a sealed one; whether it opens, only its recipient can say. */
export function isSealed(text: string): boolean {
  return sealedForm.test(text);
}

/** How many bytes the box of a sealed text has; 0 for another text. */
export function sealedBytes(text: string): number {
  return Math.floor(((sealedForm.exec(text)?.[1]?.length ?? 0) * 3) / 4);
}
