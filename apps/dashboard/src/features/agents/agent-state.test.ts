import { expect, it } from "vitest";
import { countAgents, findNeed, findState, isListed } from "./agent-state";
import { ask, blocked, idle, offline, working } from "./staged-agents";

it("[DASH-370] agents are counted once, by what they reported and what was observed; after silence none of them works or needs anybody", () => {
  const agents = [working, working, idle, { ...idle, waits: [ask] }, blocked];
  expect(countAgents(agents)).toEqual({ needing: 2, others: "2 working, 1 online" });
  expect(countAgents(agents.map((agent) => ({ ...agent, ...offline })))).toEqual({
    needing: 0,
    others: "5 offline",
  });
  expect(
    countAgents([working, working, ...Array.from({ length: 9 }, () => ({ ...blocked, ...offline }))]),
  ).toEqual({ needing: 0, others: "2 working, 9 offline" });
});

it("[DASH-370] that an agent works is shown only if it was reported", () => {
  expect(findState({ ...idle, presence: "active" })).toBe("online");
  expect(findState(working)).toBe("working");
});

it("[DASH-370] an agent that asked and went offline needs nobody now, but is still listed", () => {
  expect(findNeed({ ...idle, waits: [ask] })).toBe("human");
  expect(findNeed({ ...idle, waits: [{ ...ask, human: false }] })).toBe("agent");
  expect(findNeed({ ...blocked, ...offline })).toBeNull();
  expect(
    [
      { ...idle, ...offline },
      { ...blocked, ...offline },
      { ...idle, ...offline, waits: [ask] },
    ].map(isListed),
  ).toEqual([false, true, true]);
});
