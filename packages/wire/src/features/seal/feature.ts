/** Signed heads of a session's record, and proofs based on them. */
export { rules } from "./rules.js";
