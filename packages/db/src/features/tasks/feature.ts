export * from "./attention.js";
export * from "./claims.js";
export * from "./imported-tasks.js";
export * from "./leases.js";
export * from "./tasks.js";
