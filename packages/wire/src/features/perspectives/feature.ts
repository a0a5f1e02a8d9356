/** Readings of a text, each as a persona. */
export const needs = ["personas"];

export type { Perspective } from "./operations.js";
export { rules } from "./rules.js";
