import { splitSections } from "@/lib/document/split-sections";
import { cutLines, laidOutCharsMax } from "./plain-document";

/** Where each part that a document is drawn in begins, by its key. */
export function partStarts(content: string): ReadonlyMap<string, number> {
  const isPlain = content.length > laidOutCharsMax;
  const starts = new Map<string, number>();
  let start = 0;
  for (const { key, text } of isPlain ? cutLines(content) : splitSections(content)) {
    starts.set(key, start);
    start += text.length + (isPlain ? 1 : 0);
  }
  return starts;
}
