import { describe, expect, it } from "vitest";
import { MerkleError } from "../core/errors.js";
import type { Message } from "../feed/message.js";
import type { SubscriptionKind } from "../transports/frames.js";
import {
  advanceSubscription,
  createSubscriptionState,
  type SubscriptionEffect,
  type SubscriptionEvent,
  type SubscriptionState,
} from "./subscription-state.js";

const session = "5e551000-0000-4000-8000-000000000001";
/** The broker was in epoch A when the cursor was saved, and is in epoch B after a restore. */
const [epochA, epochB] = ["A", "B"];
/** The listener has received the messages up to 5. */
const position = { cursor: 5, epoch: epochA };
const failures = { gaps: 0, resyncs: 0 };
const failure = new MerkleError("not_found", "There is no such session.");

const events = {
  "attached in A": { type: "attached", epoch: epochA },
  "attached in B": { type: "attached", epoch: epochB },
  detached: { type: "detached" },
  "confirmed in A": { type: "confirmed", sessionId: session, after: 5, epoch: epochA },
  "confirmed in B": { type: "confirmed", sessionId: session, after: 5, epoch: epochB },
  postponed: { type: "postponed", pauseMs: 100 },
  "retry due": { type: "retryDue" },
  outdated: { type: "outdated", epoch: epochB },
  "continued after 2 of B": { type: "continued", after: 2, epoch: epochB },
  "continued after 2 of A": { type: "continued", after: 2, epoch: epochA },
  "received 5": { type: "received", message: messageOf(5) },
  "received 6": { type: "received", message: messageOf(6) },
  "received 8": { type: "received", message: messageOf(8) },
  closed: { type: "closed" },
  failed: { type: "failed", error: failure },
} satisfies Record<string, SubscriptionEvent>;

type EventName = keyof typeof events;
type Outcome = readonly [state: SubscriptionState, ...effects: SubscriptionEffect[]];
type Outcomes = Partial<Record<EventName, Outcome>>;

const unsubscribe: SubscriptionEffect = { do: "unsubscribe" };
const ended: SubscriptionState = { is: "ended", position };

/** The states of a subscription that has received message 5, with the outcome of each event that concerns it. */
function statesOf(kind: SubscriptionKind): Record<string, readonly [SubscriptionState, Outcomes]> {
  const subscribing: SubscriptionState = { is: "subscribing", kind, position, failures };
  const subscribe: SubscriptionEffect = { do: "subscribe", start: kind === "follow" ? position : null };
  const detached: SubscriptionState = { is: "detached", kind, position, failures };
  const live: SubscriptionState = { is: "live", kind, sessionId: session, position, failures };
  const resyncing: SubscriptionState = {
    is: "resyncing",
    kind,
    epoch: epochB,
    isConnected: true,
    failures: { gaps: 0, resyncs: 1 },
  };
  const resyncingWithout: SubscriptionState = { ...resyncing, isConnected: false };
  const ask: SubscriptionEffect = { do: "ask", epoch: epochB };
  const restored = kind === "follow" ? { cursor: 2, epoch: epochB } : null;
  const continued = { kind, position: restored, failures: { gaps: 0, resyncs: 1 } };
  const closed: SubscriptionEffect = { do: "report closed" };
  const failed: Outcome = [ended, { do: "report failure", error: failure }];
  const endedAgain: SubscriptionState = { is: "ended", position: null };
  const skipped: Outcome =
    kind === "follow"
      ? [{ is: "subscribing", kind, position, failures: { gaps: 1, resyncs: 0 } }, unsubscribe, subscribe]
      : [
          { ...live, position: { cursor: 8, epoch: epochA } },
          { do: "deliver", message: messageOf(8) },
        ];

  return {
    detached: [
      detached,
      {
        "attached in A": [subscribing, subscribe],
        "attached in B": [resyncing, ask],
        closed: [ended, closed],
        failed,
      },
    ],
    subscribing: [
      subscribing,
      {
        detached: [detached],
        "confirmed in A": [live, { do: "report ready" }],
        // The restored broker counts the subscription as open.
        "confirmed in B": [resyncing, unsubscribe, ask],
        postponed: [
          { ...subscribing, is: "postponed" },
          { do: "retry", pauseMs: 100 },
        ],
        outdated: [resyncing, ask],
        closed: [ended, unsubscribe, closed],
        failed,
      },
    ],
    postponed: [
      { ...subscribing, is: "postponed" },
      {
        detached: [detached],
        "retry due": [subscribing, subscribe],
        closed: [ended, closed],
        failed,
      },
    ],
    "resyncing, connected": [
      resyncing,
      {
        detached: [resyncingWithout],
        "continued after 2 of B": [
          { is: "subscribing", ...continued },
          { do: "subscribe", start: restored },
        ],
        closed: [endedAgain, closed],
        failed: [endedAgain, { do: "report failure", error: failure }],
      },
    ],
    "resyncing, not connected": [
      resyncingWithout,
      {
        "attached in A": [
          { ...resyncing, epoch: epochA, failures: { gaps: 0, resyncs: 2 } },
          { do: "ask", epoch: epochA },
        ],
        "attached in B": [resyncing],
        "continued after 2 of B": [{ is: "detached", ...continued }],
        closed: [endedAgain, closed],
        failed: [endedAgain, { do: "report failure", error: failure }],
      },
    ],
    live: [
      live,
      {
        detached: [detached],
        "received 6": [
          { ...live, position: { cursor: 6, epoch: epochA } },
          { do: "deliver", message: messageOf(6) },
        ],
        "received 8": skipped,
        closed: [ended, unsubscribe, closed],
        failed,
      },
    ],
    ended: [ended, {}],
  };
}

for (const kind of ["follow", "inbox"] as const) {
  for (const [name, [state, outcomes]] of Object.entries(statesOf(kind))) {
    describe(`${kind}: ${name}`, () => {
      it.each(Object.entries(events))("%s", (event, input) => {
        const [next = state, ...effects] = outcomes[event as EventName] ?? [];
        expect(advanceSubscription(state, input)).toEqual({ state: next, effects });
      });
    });
  }
}

it("[CLIENT-3] a follow without a cursor starts where the broker says, and continues there", () => {
  const start = createSubscriptionState("follow", {});
  const { states, effects } = run(start, [
    events["attached in A"],
    events["confirmed in A"],
    events.detached,
    events["attached in A"],
  ]);
  expect(effects).toEqual([
    { do: "subscribe", start: null },
    { do: "report ready" },
    { do: "subscribe", start: position },
  ]);
  expect(states.at(-1)).toMatchObject({ is: "subscribing", position });
});

it("[CLIENT-4] a cursor without an epoch belongs to the first one that the client sees", () => {
  const start = createSubscriptionState("follow", { after: 5 });
  const { effects } = run(start, [events["attached in A"], events.detached, events["attached in B"]]);
  expect(effects).toEqual([
    { do: "subscribe", start: position },
    { do: "ask", epoch: epochB },
  ]);
});

it("[CLIENT-4] a position that the broker was to choose is never outdated", () => {
  const start = createSubscriptionState("inbox", {});
  const { states } = run(start, [
    events["attached in A"],
    events.detached,
    events["attached in B"],
    events["confirmed in B"],
  ]);
  expect(states.at(-1)).toMatchObject({ is: "live", position: { cursor: 5, epoch: epochB } });
});

it("[CLIENT-3] the fourth gap in a row ends a follow, and a message in between resets the count", () => {
  const gap = [events["received 8"], events["confirmed in A"]];
  const live = run(createSubscriptionState("follow", { after: 5 }), [
    events["attached in A"],
    events["confirmed in A"],
    ...gap,
    ...gap,
    ...gap,
  ]).states.at(-1);
  if (!live) throw new Error("The subscription has no state.");
  expect(run(live, gap).effects).toMatchObject([
    unsubscribe,
    { do: "report failure", error: { code: "internal", details: { cursor: 5, sequence: 8 } } },
  ]);
  const restarted = run(live, [events["received 6"], events["received 8"]]).states.at(-1);
  expect(restarted).toMatchObject({ is: "subscribing", failures: { gaps: 1 } });
});

it("[CLIENT-4] the fourth resync in a row ends a subscription", () => {
  const state = createSubscriptionState("follow", { after: 5, epoch: "first" });
  const rounds = [1, 2, 3].flatMap((round): SubscriptionEvent[] => [
    { type: "outdated", epoch: `${round}` },
    { type: "continued", after: 0, epoch: `${round}` },
  ]);
  const { states, effects } = run(state, [
    { type: "attached", epoch: "first" },
    ...rounds,
    { type: "outdated", epoch: "4" },
  ]);
  expect(states.at(-1)).toMatchObject({ is: "ended" });
  expect(effects.at(-1)).toMatchObject({ do: "report failure", error: { code: "resync" } });
});

function run(
  start: SubscriptionState,
  input: readonly SubscriptionEvent[],
): { readonly states: readonly SubscriptionState[]; readonly effects: readonly SubscriptionEffect[] } {
  const states = [start];
  const effects: SubscriptionEffect[] = [];
  for (const event of input) {
    const step = advanceSubscription(states.at(-1) ?? start, event);
    states.push(step.state);
    effects.push(...step.effects);
  }
  return { states, effects };
}

/** A subscription reads nothing of a message but its sequence. */
function messageOf(sequence: number): Message {
  return { sequence } as Message;
}
