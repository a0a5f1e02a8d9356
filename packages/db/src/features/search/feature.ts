export * from "./search.js";
export * from "./search-index.js";
