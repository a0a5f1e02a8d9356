export * from "./redact-values.js";
export * from "./state.js";
export * from "./watches.js";
