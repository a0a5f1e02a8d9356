/** The log of a mesh, and the witnesses that cosign it. */
export const needs = ["seal"];

export { rules } from "./rules.js";
