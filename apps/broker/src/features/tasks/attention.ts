import { listTaskFacts } from "@merkle/db";
import { computeUnansweredCutoff } from "../../feed/unanswered.js";
import { toFact } from "../../views/fact.js";
import type { AttentionSource } from "../../views/hooks.js";

/**
 * Tasks in review, and tasks and scopes that were handed back, as items in people's attention
 * lists.
 */
export const waitingTasks: AttentionSource = {
  async list({ database, settings }, scope) {
    const rows = await listTaskFacts(database.orm, scope);
    const unansweredBefore = computeUnansweredCutoff({ settings });
    return rows.map((each) =>
      toFact(each.kind, each, `${each.number ?? "c"}:${each.claim}`, {
        number: each.number,
        team: each.holder === "" ? null : each.holder,
        text: each.text,
        ...(each.hasAgentReviewer && { needsPerson: each.since < unansweredBefore }),
      }),
    );
  },
};
