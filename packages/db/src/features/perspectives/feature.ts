export * from "./perspectives.js";
