/** The structure, changes and places of long texts such as documents. All functions work in browsers. */

export {
  type AnchoredQuote,
  extractContext,
  locateQuote,
  type QuoteSelector,
  type ReanchoredSpan,
  type Span,
} from "./anchors/locate-quote.js";
export { findOccurrences } from "./anchors/occurrences.js";
export { reanchor, startReanchoring } from "./anchors/reanchor.js";
export { applyHunks } from "./apply-hunks.js";
export { computeLineChanges, type LineChange, type SearchBounds, searchBounds } from "./line-changes.js";
export { extractHeadingText, type Heading, type MarkdownEnd, scanMarkdown } from "./markdown-blocks.js";
export {
  type ConflictBlock,
  type MergeBlock,
  type MergedTexts,
  mergeTexts,
  type SettledBlock,
} from "./merge-texts.js";
