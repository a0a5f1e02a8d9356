/** Downloading a session as a file. */
export { type ExportFormat, exportFormats } from "./formats.js";
export { rules } from "./rules.js";
