export * from "./files.js";
export * from "./message-files.js";
export * from "./uploads.js";
