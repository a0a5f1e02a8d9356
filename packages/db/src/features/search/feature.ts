export { refreshWords } from "./refresh-words.js";
export * from "./search.js";
export * from "./search-index.js";
