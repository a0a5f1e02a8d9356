export * from "./personas.js";
