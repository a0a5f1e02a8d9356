/** Functions that process text. All of them work in browsers. */

export { isClearText } from "../core/clear-text.js";
export { deceptionIn, deceptionInNew, normaliseName } from "../core/names.js";
export { isStorable, utf8Bytes } from "../core/utf8.js";
export {
  type Anchored,
  contextOf,
  locateQuote,
  type Marked,
  type Reanchored,
  type Span,
} from "./anchors/locate-quote.js";
export { occurrences } from "./anchors/occurrences.js";
export { reanchor, startReanchoring } from "./anchors/reanchor.js";
export { applyHunks } from "./apply-hunks.js";
export { approvalText } from "./approval-text.js";
export { type InstallLineOptions, installLine, type LaunchLineOptions, launchLine } from "./command-lines.js";
export { describeBytes } from "./describe-bytes.js";
export { type LineChange, lineChanges, type SearchBounds, searchBounds } from "./line-changes.js";
export { lineEndOf, plainLines, withLineEnd } from "./line-ends.js";
export { commonEnds, linesOf } from "./lines.js";
export { type Heading, headingText, type MarkdownEnd, scanMarkdown } from "./markdown-blocks.js";
export {
  type ConflictBlock,
  type MergeBlock,
  type MergedTexts,
  mergeTexts,
  type SettledBlock,
} from "./merge-texts.js";
export { nearest } from "./nearest.js";
export {
  foreign,
  lines,
  nameInLine,
  neutralise,
  neutralJson,
  peerAddress,
  shortAddress,
  showInvisible,
} from "./neutralise.js";
export { adviseUpgrade, npxCommand, packageName } from "./package-name.js";
export { isFileScope, normaliseScope, problemOfScope, scopeHoldsFile, scopesOverlap } from "./scope.js";
export { shellWord, toShellLine } from "./shell.js";
export { endOfString, parseStrictJson } from "./strict-json.js";
