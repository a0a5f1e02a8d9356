import { createHash } from "node:crypto";
import { canonicalJson } from "@merkle/wire";
import type { CheckedCard } from "../private-messages/check-card.js";

/**
 * The number that two people compare to know that nobody is in between: twelve groups of five digits, the same on both
 * sides. It follows Signal's numeric fingerprint (libsignal, `fingerprint.rs`): a group is five bytes of a SHA-512 digest,
 * taken modulo 100,000. Theirs has six groups for each side from a digest that is iterated, which slows down a search for
 * keys of half the digits; here one digest covers both sides, so that all sixty digits would have to be met at once.
 * Of a member it is the member's key that counts, so that the number stays from launch to launch.
 */
export function safetyNumber(
  ...ends: readonly [Pick<CheckedCard, KeyNames>, Pick<CheckedCard, KeyNames>]
): string {
  const keys = ends.map(({ sessionKey, memberKey }) => memberKey ?? sessionKey).sort();
  const digest = createHash("sha512")
    .update(`merkle safety number v1\n${canonicalJson(keys)}`)
    .digest();
  const groups = Array.from({ length: 12 }, (_, index) => digest.readUIntBE(index * 5, 5) % 100_000);
  return groups.map((group) => String(group).padStart(5, "0")).join(" ");
}

type KeyNames = "sessionKey" | "memberKey";
