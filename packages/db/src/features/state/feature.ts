export * from "./state.js";
export * from "./watches.js";
