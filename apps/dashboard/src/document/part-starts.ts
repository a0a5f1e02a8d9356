import type { ShownText } from "@/parts/feature";
import { splitSections } from "@/text/split-sections";
import { cutLines, laidOutCharsMax } from "./plain-document";

export type TextLayout = ShownText["layout"];

/** The part that a block of code is. */
export const codePart = "code";

export function layoutOfMarkdown(content: string): TextLayout {
  return content.length > laidOutCharsMax ? "lines" : "sections";
}

/** Where each part that a text is drawn in begins, by its key. */
export function partStarts(content: string, layout: TextLayout): ReadonlyMap<string, number> {
  if (layout === "code") return new Map([[codePart, 0]]);
  const starts = new Map<string, number>();
  let start = 0;
  for (const { key, text } of layout === "lines" ? cutLines(content) : splitSections(content)) {
    starts.set(key, start);
    start += text.length + (layout === "lines" ? 1 : 0);
  }
  return starts;
}
