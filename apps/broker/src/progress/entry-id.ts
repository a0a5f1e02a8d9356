import { randomInt } from "node:crypto";

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";
const idChars = 12;

/** `a1b2c3d4e5f6`: 62 random bits that can stand in any address, and be told over the phone. */
export function createEntryId(): string {
  return Array.from({ length: idChars }, () => alphabet[randomInt(alphabet.length)]).join("");
}
