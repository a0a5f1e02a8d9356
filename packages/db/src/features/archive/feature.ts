export * from "./archives.js";
