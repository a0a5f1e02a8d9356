export * from "./claims.js";
export * from "./tasks.js";
export { TaskChange } from "./values.js";
