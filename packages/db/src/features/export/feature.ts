export * from "./export.js";
export * from "./import-files.js";
