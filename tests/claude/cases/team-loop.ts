import { expect, inject, it } from "vitest";
import { countCost, type Exchange } from "../kit/count-turns.js";
import { withLoop } from "../kit/team-scripts.js";
import { runTeam } from "../kit/team-session.js";

it.runIf(inject("clientPrograms")["codex"])(
  "[TASK-16] a team whose tasks name their files concludes with at most three requests for Merkle alone per task",
  async () => {
    for (const exchanges of await runTeam(withLoop))
      expect(countCost(exchanges.filter(isOfTask)).merkleOnlyAtWork).toBeLessThanOrEqual(3);
  },
  600_000,
);

/** False for a request that reads a message. Codex makes one for a message that arrives during its work. */
function isOfTask({ answer }: Exchange): boolean {
  return !("calls" in answer && answer.calls.some(({ tool }) => tool === "mcp__merkle__check_messages"));
}
