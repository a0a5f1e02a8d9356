export * from "./jobs.js";
export * from "./runner.js";
export * from "./runs.js";
