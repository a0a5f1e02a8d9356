export * from "./attention.js";
export * from "./jobs.js";
