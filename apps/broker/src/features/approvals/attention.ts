import { listApprovalFacts } from "@merkle/db";
import { toFact } from "../../views/fact.js";
import type { AttentionSource } from "../../views/hooks.js";

/** Approvals that agents are waiting for, as items in people's attention lists. */
export const waitingApprovals: AttentionSource = {
  async list({ database }, scope, { personId, approvals }) {
    const isEverybodys = approvals === "everybody's";
    if (approvals === undefined || (personId === null && !isEverybodys)) return [];
    const rows = await listApprovalFacts(
      database.orm,
      scope,
      isEverybodys ? undefined : (personId ?? undefined),
    );
    return rows.map((each) =>
      toFact("approval", each, each.number, { number: each.number, team: each.askedBy, text: each.tool }),
    );
  },
};
