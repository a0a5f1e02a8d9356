export * from "./redactions.js";
