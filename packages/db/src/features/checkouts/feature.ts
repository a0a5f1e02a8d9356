export * from "./checkouts.js";
