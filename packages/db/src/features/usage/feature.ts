export * from "./usage.js";
