/** Proposals are changes to a document that people decide on. */
export { events, type ProposalEvent } from "./events.js";
export type { Hunk, Proposal, ProposalInFull, ProposalStatus } from "./operations.js";
export { rules } from "./rules.js";
