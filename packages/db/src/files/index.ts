export {
  type HeldFolder,
  holdBeneath,
  holdFolder,
  holdsFolders,
  makeHeldFolder,
  NotPlainError,
} from "./held-folder.js";
export { findStrangerAbove, type Stranger, type StrangersOptions, strangerOf } from "./strangers.js";
