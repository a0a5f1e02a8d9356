/** Perspectives are personas' readings of a text. */
export const needs = ["personas"];

export type { Perspective } from "./operations.js";
export { rules } from "./rules.js";
