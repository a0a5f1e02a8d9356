export * from "./agents.js";
