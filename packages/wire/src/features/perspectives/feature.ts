/** Readings of a text, each by a persona. */
export const needs = ["personas"];

export type { Perspective } from "./operations.js";
export { rules } from "./rules.js";
