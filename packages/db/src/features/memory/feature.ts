export * from "./memories.js";
