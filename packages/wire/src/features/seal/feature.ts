/** Signed heads of a session and proofs against them. */
export { rules } from "./rules.js";
