import { createHash } from "node:crypto";
import type { LogCheckpoint } from "@merkle/wire/record";
import { formatNumber } from "@merkle/wire/text";

/**
 * Returns the code with which two members compare a log by voice: the size, and eight groups of five digits
 * (WITNESS-30). Each group is five bytes of a SHA-512 digest modulo 100,000. A key's owner can
 * search for two histories with one code, so the digits are as many as make that search infeasible.
 */
export function formatHeadCode({ origin, size, root }: LogCheckpoint): string {
  const digest = createHash("sha512")
    .update(`merkle-head-code/v1\n${origin}\n${size}\n${Buffer.from(root).toString("base64")}\n`)
    .digest();
  const groups = Array.from({ length: 8 }, (_, index) => digest.readUIntBE(index * 5, 5) % 100_000);
  return [`${size}:`, ...groups.map((group) => String(group).padStart(5, "0"))].join(" ");
}

/** Returns the size in a code and the code in its usual form. Null if the text is not a code. */
export function parseHeadCode(text: string): { readonly size: number; readonly code: string } | null {
  const [, size = "", digits = ""] = /^\s*(\d{1,16})\s*:([\s\d]+)$/.exec(text) ?? [];
  const groups = digits.replaceAll(/\s/g, "").match(/\d{5}/g) ?? [];
  if (groups.length !== 8 || digits.replaceAll(/\s/g, "").length !== 40) return null;
  return { size: Number(size), code: [`${Number(size)}:`, ...groups].join(" ") };
}

export function formatEntries(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? "entry" : "entries"}`;
}
