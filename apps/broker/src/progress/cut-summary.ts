import { limits } from "@merkle/wire";

/** The beginning of a text, as long as a summary may be; no character is cut in two. */
export function cutSummary(text: string): string {
  const max = limits.progressSummaryCharsMax;
  if (text.length <= max) return text;
  const isPairCut = /[\ud800-\udbff]/.test(text[max - 1] ?? "");
  return text.slice(0, isPairCut ? max - 1 : max);
}
