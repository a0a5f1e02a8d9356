import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../tests/faults/random.js";
import {
  advancePeer,
  createPeerState,
  type InboxEffect,
  type PeerEvent,
  type PeerState,
} from "./peer-state.js";

const fresh = createPeerState({ credential: "one", cursor: undefined, epoch: undefined, documentVersion: 0 });
/** Has read up to 5 of an epoch, with notices to show and a conversation that knows Merkle. */
const reading: PeerState = {
  ...createPeerState({ credential: "one", cursor: 5, epoch: "a", documentVersion: 3 }),
  idlePolls: 2,
  notices: { isRestored: false, warning: "the record differs" },
  conversation: { isIntroduced: true, hasSeenOpenWork: true, brief: undefined, announced: 4 },
};
const replaced: PeerState = { ...reading, membership: "replaced" };
const left: PeerState = { ...reading, membership: "left" };
const states = { fresh, reading, replaced, left };

const brief = { conversation: "c", prompt: "p", title: "Brief", setAside: 9 };
const events = {
  rejoined: { type: "rejoined", credential: "two" },
  "rejoined from 2": { type: "rejoined", credential: "two", replayFrom: 2 },
  "credential changed": { type: "credentialChanged", credential: "two" },
  replaced: { type: "replaced" },
  resumed: { type: "resumed" },
  left: { type: "left" },
  restored: { type: "restored" },
  "cursor read": { type: "cursorRead", cursor: 7 },
  "acknowledged 8": { type: "acknowledged", cursor: 8, epoch: "a" },
  "acknowledged 3": { type: "acknowledged", cursor: 3, epoch: "a" },
  "acknowledged in another epoch": { type: "acknowledged", cursor: 8, epoch: "b" },
  "empty wait": { type: "waitAnswered", epoch: "a", isEmpty: true, idlePolls: 3, isClosed: false },
  "last wait": { type: "waitAnswered", epoch: "a", isEmpty: false, idlePolls: undefined, isClosed: true },
  "messages returned": { type: "messagesReturned" },
  connected: { type: "connected", epoch: "b" },
  concluded: { type: "concluded" },
  "document changed": { type: "documentChanged", version: 4 },
  "document shown": { type: "documentShown", version: 4 },
  warned: { type: "warned", warning: "another" },
  "notices shown": { type: "noticesShown", notices: reading.notices },
  "earlier notices shown": { type: "noticesShown", notices: { isRestored: true, warning: "an earlier one" } },
  "status declared": { type: "statusDeclared", status: "dnd" },
  "status observed": { type: "statusObserved", status: "working" },
  "conversation started": { type: "conversationStarted" },
  introduced: { type: "introduced" },
  "open work shown": { type: "openWorkShown" },
  "brief changed": { type: "briefChanged", brief },
  announced: { type: "announced", upTo: 6 },
  "subagent read": { type: "subagentRead", agent: "x", cursor: 6 },
} satisfies Record<string, PeerEvent>;

type EventName = keyof typeof events;
type Outcome = readonly [change: Partial<PeerState>, effect?: InboxEffect];

const keep: InboxEffect = { do: "restart", after: "own" };
const restored = {
  acked: undefined,
  epoch: undefined,
  document: { latest: 0, shown: 0 },
  conversation: { isIntroduced: true, hasSeenOpenWork: true, brief: undefined, announced: 0 },
};

/** The outcome of events for a peer that has read, whatever its membership. */
function outcomesOfReading(membership: PeerState["membership"]): Partial<Record<EventName, Outcome>> {
  const { conversation, notices } = reading;
  const back = membership === "left" ? { membership: "member" as const } : {};
  return {
    rejoined: [{ ...back, credential: "two" }],
    "rejoined from 2": [
      { ...back, credential: "two", acked: 2 },
      { do: "restart", after: 2 },
    ],
    "credential changed": [{ credential: "two" }],
    replaced: membership === "left" ? [{}] : [{ membership: "replaced" }, keep],
    resumed: membership === "replaced" ? [{ membership: "member" }] : [{}],
    left: [{ membership: "left" }, keep],
    restored: [{ ...restored, notices: { ...notices, isRestored: true } }, { do: "forget" }],
    "acknowledged 8": [{ acked: 8 }],
    "empty wait": [{ idlePolls: 3 }],
    "last wait": [{ idlePolls: 0, isClosed: true }],
    "messages returned": [{ idlePolls: 0 }],
    concluded: [{ isClosed: true }],
    "document changed": [{ document: { latest: 4, shown: 3 } }],
    "document shown": [{ document: { latest: 3, shown: 4 } }],
    warned: [{ notices: { isRestored: false, warning: "another" } }],
    "notices shown": [{ notices: { isRestored: false, warning: undefined } }],
    "status declared": [{ status: { declared: "dnd", observed: undefined } }],
    "status observed": [{ status: { declared: undefined, observed: "working" } }],
    "conversation started": [
      { conversation: { ...conversation, isIntroduced: false, hasSeenOpenWork: false } },
    ],
    "brief changed": [{ conversation: { ...conversation, brief } }],
    announced: [{ conversation: { ...conversation, announced: 6 } }],
    "subagent read": [{ subagents: new Map([["x", 6]]) }],
  };
}

/** What each event changes in each state. An event that is left out changes nothing and has no effect. */
const outcomes: Record<keyof typeof states, Partial<Record<EventName, Outcome>>> = {
  fresh: {
    rejoined: [{ credential: "two" }],
    "rejoined from 2": [
      { credential: "two", acked: 2 },
      { do: "restart", after: 2 },
    ],
    "credential changed": [{ credential: "two" }],
    replaced: [{ membership: "replaced" }, keep],
    left: [{ membership: "left" }, keep],
    restored: [{ notices: { isRestored: true, warning: undefined } }, { do: "forget" }],
    "cursor read": [{ acked: 7 }, { do: "restart", after: 7 }],
    "empty wait": [{ epoch: "a", idlePolls: 3 }],
    "last wait": [{ epoch: "a", isClosed: true }],
    connected: [{ epoch: "b" }],
    concluded: [{ isClosed: true }],
    "document changed": [{ document: { latest: 4, shown: 0 } }],
    "document shown": [{ document: { latest: 0, shown: 4 } }],
    warned: [{ notices: { isRestored: false, warning: "another" } }],
    "status declared": [{ status: { declared: "dnd", observed: undefined } }],
    "status observed": [{ status: { declared: undefined, observed: "working" } }],
    introduced: [{ conversation: { ...fresh.conversation, isIntroduced: true } }],
    "open work shown": [{ conversation: { ...fresh.conversation, hasSeenOpenWork: true } }],
    "brief changed": [{ conversation: { ...fresh.conversation, brief } }],
    announced: [{ conversation: { ...fresh.conversation, announced: 6 } }],
    "subagent read": [{ subagents: new Map([["x", 6]]) }],
  },
  reading: outcomesOfReading("member"),
  replaced: outcomesOfReading("replaced"),
  left: outcomesOfReading("left"),
};

for (const [name, state] of Object.entries(states) as [keyof typeof states, PeerState][]) {
  describe(`a peer that is ${name}`, () => {
    it.each(Object.entries(events))("%s", (event, input) => {
      const [change, effect = null] = outcomes[name][event as EventName] ?? [{}];
      expect(advancePeer(state, input)).toEqual({ state: { ...state, ...change }, effect });
    });
  });
}

/**
 * Feeds a peer with random events. Checks after each:
 *
 * 1. The acknowledged cursor goes back only by a replay or a restore.
 * 2. A notice stays until a reply with notices reached the model.
 * 3. A peer that has left stays away until it joins again.
 * 4. The version that the model was shown goes back only by a restore.
 */
function walk(seeds: number): void {
  const all = Object.values<PeerEvent>(events);
  for (let seed = 1; seed <= seeds; seed += 1) {
    const random = createRandom(seed);
    const taken: PeerEvent[] = [];
    let state = fresh;
    for (let count = 0; count < 40; count += 1) {
      const event = all[random.between(0, all.length - 1)] ?? events.left;
      const before = state;
      state = advancePeer(before, event).state;
      taken.push(event);
      const problem = findProblem(before, event, state);
      if (problem) expect.fail(`${problem} (${JSON.stringify({ seed, taken, before, state })})`);
    }
  }
}

function findProblem(before: PeerState, event: PeerEvent, after: PeerState): string | undefined {
  const isRestored = event.type === "restored";
  if (event.type !== "rejoined" && !isRestored && (after.acked ?? 0) < (before.acked ?? 0))
    return "the cursor went back";
  const isShown = event.type === "noticesShown";
  if (!isShown && before.notices.isRestored && !after.notices.isRestored)
    return "the notice of a restore is lost";
  if (!isShown && before.notices.warning !== undefined && after.notices.warning === undefined)
    return "a warning is lost";
  if (before.membership === "left" && event.type !== "rejoined" && after.membership !== "left")
    return "the peer came back";
  if (!isRestored && after.document.shown < before.document.shown) return "the shown version went back";
  return undefined;
}

it("[STDIO-12] [WAKE-15] on random walks cursors go back only by a replay or a restore, and each notice stays until it is shown", () => {
  walk(10_000);
});

it("[STDIO-12] [WAKE-15] on a million random walks they do", { tags: "long", timeout: 1_200_000 }, () => {
  walk(1_000_000);
});

it("[STDIO-12] an acknowledgement from before a restore does not count as the cursor, even if neither names an epoch", () => {
  const before = createPeerState({ credential: "one", cursor: 5, epoch: undefined, documentVersion: 0 });
  const restored = advancePeer(before, { type: "restored" }).state;
  const late = advancePeer(restored, { type: "acknowledged", cursor: 8, epoch: undefined });
  expect(late.state.acked).toBeUndefined();
});
