export * from "./topics.js";
