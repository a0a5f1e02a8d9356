// needs: ["seal"]
export * from "./checkpoints.js";
export * from "./log-entries.js";
