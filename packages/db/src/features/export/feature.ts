export * from "./export.js";
