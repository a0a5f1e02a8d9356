import { lockProposalSeries, rejectOpenProposal } from "@merkle/db";
import type { ConcludeHook } from "../../document/hooks.js";
import type { DocumentServices } from "../../document/services.js";
import { announceProposals } from "../topics/feature.js";

/** Rejects the open draft of a conclusion when the session is concluded with different text (PROP-15). */
export const rejectDraft: ConcludeHook<DocumentServices> = {
  hold: ({ database }, tx, sessionId) =>
    lockProposalSeries(tx, { meshId: database.meshId, topic: null, sessionId }),
  async conclude(services, { tx, afterCommit }, { sessionId, by }) {
    const drafts = { meshId: services.database.meshId, topic: null, sessionId };
    if (await rejectOpenProposal(tx, drafts, by)) afterCommit(() => announceProposals(services, sessionId));
    return undefined;
  },
};
