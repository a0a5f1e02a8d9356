export * from "./brief.js";
