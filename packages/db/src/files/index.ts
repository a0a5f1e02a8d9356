export {
  canOpenByHandle,
  createFolder,
  NotPlainError,
  type OpenFolder,
  openFolder,
  openFolderBeneath,
} from "./held-folder.js";
export { findPermissionProblemInHome } from "./home.js";
export { hasProc, isPosix } from "./platform.js";
export {
  describePermissionProblem,
  findPermissionProblem,
  findPermissionProblemAbove,
  type PermissionOptions,
  type PermissionProblem,
} from "./strangers.js";
