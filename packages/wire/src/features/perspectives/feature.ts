/** Perspectives are personas' readings of documents and files. */
export const needs = ["personas"];

export type { Perspective } from "./operations.js";
export { rules } from "./rules.js";
