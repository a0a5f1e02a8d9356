/** Proposed changes to a document, decided by people. */
export { events, type ProposalEvent } from "./events.js";
export type { Hunk, Proposal, ProposalInFull, ProposalStatus } from "./operations.js";
export { rules } from "./rules.js";
