/** Functions that process text. All of them work in browsers. */

export { isClearText, isLoopbackAddress } from "../core/clear-text.js";
export { formatNumber } from "../core/format-number.js";
export { describeDeception, describeNewNameDeception, normaliseName } from "../core/names.js";
export { countUtf8Bytes, isStorable } from "../core/utf8.js";
export {
  type AgentQuestion,
  describeAnswerProblem,
  endsWithQuestion,
  formatAnswer,
  parseQuestions,
  parseTurnEnd,
  type QuestionAnswer,
  type QuestionOption,
} from "./agent-questions.js";
export { describeRequest, planTool, questionTool, turnEndTool } from "./agent-requests.js";
export { formatApproval } from "./approval-text.js";
export {
  type Ability,
  type ClientAbilities,
  clientTable,
  describeDelivery,
  getClientAbilities,
  type LaunchedClient,
  listMissingAbilities,
} from "./client-table.js";
export {
  type InstallLineOptions,
  type LaunchLineOptions,
  toInstallLine,
  toLaunchLine,
} from "./command-lines.js";
export { findRisks, type Risk, type RiskKind, splitAtRisks } from "./command-risks.js";
export { describeBytes } from "./describe-bytes.js";
export { describeDuration, parseDuration } from "./durations.js";
export { findLineEnd, toPlainLines, withLineEnd } from "./line-ends.js";
export { countCommonEnds, splitLines } from "./lines.js";
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
export { findRepeatableCommand } from "./repeatable-command.js";
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
export { beyondWakingText, isBeyondWaking } from "./wake-reach.js";
