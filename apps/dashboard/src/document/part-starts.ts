import type { ShownText } from "@/parts/feature";
import { splitSections } from "@/text/split-sections";
import { renderedCharsMax, splitIntoParts } from "./plain-document";

export type TextLayout = ShownText["layout"];

/** The key of the single part into which a file shown as code is rendered. */
export const codePart = "code";

export function chooseMarkdownLayout(content: string): TextLayout {
  return content.length > renderedCharsMax ? "lines" : "sections";
}

/** Returns the offset in the text at which each rendered part begins, by the part's key. */
export function findPartStarts(content: string, layout: TextLayout): ReadonlyMap<string, number> {
  if (layout === "code") return new Map([[codePart, 0]]);
  const starts = new Map<string, number>();
  let start = 0;
  for (const { key, text } of layout === "lines" ? splitIntoParts(content) : splitSections(content)) {
    starts.set(key, start);
    start += text.length + (layout === "lines" ? 1 : 0);
  }
  return starts;
}
