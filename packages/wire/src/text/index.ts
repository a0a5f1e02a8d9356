/** Functions that process text. All of them work in browsers. */

export { isClearText } from "../core/clear-text.js";
export { describeDeception, describeNewNameDeception, normaliseName } from "../core/names.js";
export { countUtf8Bytes, isStorable } from "../core/utf8.js";
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
export { formatApproval } from "./approval-text.js";
export {
  type InstallLineOptions,
  type LaunchLineOptions,
  toInstallLine,
  toLaunchLine,
} from "./command-lines.js";
export { describeBytes } from "./describe-bytes.js";
export { computeLineChanges, type LineChange, type SearchBounds, searchBounds } from "./line-changes.js";
export { findLineEnd, toPlainLines, withLineEnd } from "./line-ends.js";
export { countCommonEnds, splitLines } from "./lines.js";
export { extractHeadingText, type Heading, type MarkdownEnd, scanMarkdown } from "./markdown-blocks.js";
export {
  type ConflictBlock,
  type MergeBlock,
  type MergedTexts,
  mergeTexts,
  type SettledBlock,
} from "./merge-texts.js";
export { findNearest } from "./nearest.js";
export {
  formatInlineAddress,
  formatInlineName,
  joinLines,
  neutralise,
  neutraliseTexts,
  shortenAddress,
  showInvisible,
  toNeutralJson,
} from "./neutralise.js";
export { adviseUpgrade, npxCommand, packageName } from "./package-name.js";
export {
  describeScopeProblem,
  formatScope,
  isFileScope,
  normaliseScope,
  scopeContainsFile,
  scopesOverlap,
  toFileScope,
} from "./scope.js";
export { toShellLine, toShellWord } from "./shell.js";
export { endOfString, parseStrictJson } from "./strict-json.js";
