/** Proposals are suggested changes to a document or file, which people accept or reject. */
export { events, type ProposalEvent } from "./events.js";
export type { Hunk, Proposal, ProposalInFull, ProposalStatus } from "./operations.js";
export { rules } from "./rules.js";
