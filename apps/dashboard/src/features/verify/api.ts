/** The parts of verification that other features use. */
export { VerifySheet } from "./verify-sheet";
