export * from "./import.js";
