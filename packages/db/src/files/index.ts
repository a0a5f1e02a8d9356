export {
  type HeldFolder,
  holdBeneath,
  holdFolder,
  holdsFolders,
  makeHeldFolder,
  NotPlainError,
} from "./held-folder.js";
export { findStrangerInHome } from "./home.js";
export { hasProc, isPosix } from "./platform.js";
export {
  describeStranger,
  findStrangerAbove,
  type Stranger,
  type StrangersOptions,
  strangerOf,
} from "./strangers.js";
