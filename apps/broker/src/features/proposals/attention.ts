import { listOpenProposals, type ProposalFact } from "@merkle/db";
import { toFact } from "../../views/fact.js";
import type { AttentionSource } from "../../views/hooks.js";

export const openProposals: AttentionSource = {
  async list({ database }, scope) {
    const rows = await listOpenProposals(database.orm, scope);
    return rows.map((each) =>
      toFact("proposal", each, each.number, {
        number: each.number,
        team: each.proposedBy,
        text: `+${each.added} \u2212${each.removed} to the ${describeChanged(each)}`,
      }),
    );
  },
};

function describeChanged({ proposalKind, sourcePath }: ProposalFact): string {
  if (sourcePath !== null) return "file";
  return proposalKind === "conclusion" ? "Conclusion" : "document";
}
