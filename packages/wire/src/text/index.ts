/** Lines, what changed of them, merging, and the blocks of markdown. Nothing here needs more than a browser has. */
export { type LineChange, lineChanges, type SearchBounds, searchBounds } from "./line-changes.js";
export { commonEnds, linesOf } from "./lines.js";
export { type Heading, headingText, type MarkdownEnd, scanMarkdown } from "./markdown-blocks.js";
export {
  type ConflictBlock,
  type MergeBlock,
  type MergedTexts,
  mergeTexts,
  type SettledBlock,
} from "./merge-texts.js";
