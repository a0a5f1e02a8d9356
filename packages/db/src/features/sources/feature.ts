export * from "./sources.js";
