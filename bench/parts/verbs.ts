import { setTimeout as delay } from "node:timers/promises";
import { limits } from "@merkle/wire/limits";
import { operations } from "@merkle/wire/schemas";
import type { LongestTurn } from "../broker-process.js";
import { type Caller, openCaller } from "../caller.js";
import { inParallel } from "../in-parallel.js";
import { definePart } from "../part.js";
import type { BenchBroker } from "../stage.js";
import { median } from "../statistics.js";
import { costlyText } from "../text.js";
import { type Room, type Team, type VerbCase, verbCases } from "../verb-cases.js";

/** How long calls block the broker's event loop, with each input as large as the limits allow. */
interface Round {
  /** The cases, with the longest first. */
  readonly cases: readonly CaseTimes[];
}

interface CaseTimes {
  readonly operation: string;
  readonly what: string;
  /** Median and maximum over several calls, in milliseconds. */
  readonly median: number;
  readonly longest: number;
}

const baseline = "get_app_info";

export const verbs = definePart<Round>({
  name: "verbs",
  rounds: { quick: 1, full: 1 },
  figures: [
    {
      name: "longest time on the event loop of a verb at its limits",
      unit: "ms",
      limitName: `${baseline}, which does nothing`,
      value: ({ cases }) => cases[0]?.median ?? null,
      limit: ({ cases }) => cases.find(({ operation }) => operation === baseline)?.median ?? null,
      target: { valueAtMost: 20 },
    },
  ],
  async open(stage, { quick }) {
    const broker = await stage.startBroker();
    const caller = await openCaller(broker.socketUrl);
    const crowded = await prepareCrowd(caller);
    const times = quick ? 3 : 9;
    return {
      warmUp: () => measureCases({ broker, caller, crowded, times: 1 }),
      measure: () => measureCases({ broker, caller, crowded, times }),
      async close() {
        caller.close();
        await broker.stop();
      },
    };
  },
  notes([round]) {
    const describeCase = ({ operation, what, median, longest }: CaseTimes) =>
      `  ${operation}, ${what}: ${median.toFixed(1)} ms (at most ${longest.toFixed(1)})`;
    const tried = new Set(verbCases.map(({ operation }) => operation));
    const untried = operations.filter(({ name }) => !tried.has(name)).map(({ name }) => name);
    return [
      [
        "Longest on the event loop, middle of several calls:",
        ...(round?.cases ?? []).slice(0, 8).map(describeCase),
      ].join("\n"),
      ...(untried.length > 0
        ? [`Verbs that have no case yet (bench/verb-cases.ts): ${untried.join(", ")}.`]
        : []),
    ];
  },
});

interface Setting {
  readonly broker: BenchBroker;
  readonly caller: Caller;
  readonly crowded: Team;
  readonly times: number;
}

async function measureCases(setting: Setting): Promise<Round> {
  const cases: CaseTimes[] = [];
  for (const verb of verbCases) cases.push(await measureCase(setting, verb));
  return { cases: cases.sort((a, b) => b.median - a.median) };
}

/** How long to wait for work that a call continues after its reply. The measurement includes this work. */
const afterwardsMs = 10;

async function measureCase(
  { broker, caller, crowded, times }: Setting,
  { operation, what, prepare }: VerbCase,
): Promise<CaseTimes> {
  const turns: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const room: Room = { caller, homeKey: broker.homeKey, own: await createSession(caller), crowded };
    const call = await prepare(room);
    await delay(afterwardsMs);
    await broker.ask({ loop: "watch" });
    await call();
    await delay(afterwardsMs);
    turns.push((await broker.ask<LongestTurn>({ loop: "read" })).ms);
  }
  return { operation, what, median: median(turns), longest: Math.max(...turns) };
}

async function createSession(caller: Caller): Promise<Team> {
  const { session_id, team_id } = await caller.call("create_session", {
    title: "Bench",
    description: costlyText.wide(limits.descriptionCharsMax * 3),
    creator_team_name: "Bench",
  });
  return { session_id: String(session_id), team_id: String(team_id) };
}

const crowdTeams = 200;
const crowdVersions = 200;
const crowdTextBytes = 1_000;

/**
 * Creates a session with many teams, a page of messages and many document versions, and as many sessions as a page of
 * `list_sessions` contains.
 */
async function prepareCrowd(caller: Caller): Promise<Team> {
  const team = await createSession(caller);
  const { session_id } = team;
  const many = (count: number) => Array.from({ length: count }, (_, index) => index);
  // Limits the calls in flight, because a connection may have at most 64 unanswered calls.
  await inParallel(many(crowdTeams), 16, (index) =>
    caller.call("join_session", { session_id, team_name: `Bench ${index}` }),
  );
  await inParallel(many(limits.pageMessagesMax), 16, () =>
    caller.call("post_message", { ...team, content: { text: costlyText.wide(crowdTextBytes) } }),
  );
  await inParallel(many(crowdVersions), 16, () =>
    caller.call("append_to_session_doc", { ...team, text: "A note." }),
  );
  await inParallel(many(limits.sessionsPageMax), 16, () => createSession(caller));
  return team;
}
