/** What other features use of verifying. */
export { VerifySheet } from "./verify-sheet";
