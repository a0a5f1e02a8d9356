export * from "./alerts.js";
