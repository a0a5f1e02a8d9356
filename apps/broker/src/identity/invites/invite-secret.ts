import { randomBytes } from "node:crypto";
import { hashSecret } from "../credential.js";

/** An invite's secret as it stands in its link, 132 random bits, and what is kept of it (INVITE-1). */
export function makeInviteSecret(): { secret: string; secretHash: Buffer } {
  const secret = randomBytes(17).toString("base64url").slice(0, 22);
  return { secret, secretHash: hashSecret(secret) };
}

/** Eight characters of Crockford's base32, 40 bits: short enough to be spoken, so good for little time and few tries. */
export function makeInviteCode(): string {
  return Array.from(randomBytes(8), (byte) => alphabet.charAt(byte & 31)).join("");
}

/** The secret stands behind the `#`, which no browser sends to a server. */
export function writeInviteLink(base: string, secret: string): string {
  return `${base}/join#${secret}`;
}

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
