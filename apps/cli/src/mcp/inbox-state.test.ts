import { type Message, withoutText } from "@merkle/wire";
import { describe, expect, it } from "vitest";
import { createFeedEvent, createFeedMessage } from "../test-kit/feed-message.js";
import {
  type Arrival,
  advanceInbox,
  createInboxState,
  findAckCursor,
  findReceivedCursor,
  type InboxEvent,
  type InboxState,
  type OfferedEntry,
  type QueuedEntry,
  type ReceivedEntry,
} from "./inbox-state.js";

function arrive(sequence: number, earlier: Arrival["earlier"] = "lost"): Arrival {
  return { message: createFeedMessage(sequence), earlier };
}

function queue(sequence: number, isRepeated = false): QueuedEntry {
  return toQueued(createFeedMessage(sequence), isRepeated);
}

function toQueued(message: Message, isRepeated = false): QueuedEntry {
  return { is: "queued", message, chars: JSON.stringify(message).length, isRepeated };
}

/** The entry of message 7 after its redaction. */
function redact<Entry extends QueuedEntry | OfferedEntry>(entry: Entry): Entry {
  const redacted = { sequence: 10, by: "Ana", reason: "a key", at: "today" };
  const message = withoutText(entry.message, redacted);
  return { ...entry, message, chars: JSON.stringify(message).length };
}

function offer(sequence: number, more: Pick<OfferedEntry, "offer" | "via" | "isWritten">): OfferedEntry {
  return { ...queue(sequence), is: "offered", ...more };
}

const receive = (sequence: number): ReceivedEntry => ({
  is: "received",
  message: createFeedMessage(sequence),
});

const hook = { by: "hook", prompt: "p1" } as const;
const call = { by: "call" } as const;
const empty = createInboxState(5, { isRecorded: true, messagesMax: 2, charsMax: 1_000_000 });
/** Message 7 has arrived, and 6 is for others. */
const queued: InboxState = { ...empty, entries: [queue(7)], pushed: 7, known: 7 };
const offering: InboxState = { ...queued, offers: 1 };
const writing: InboxState = { ...offering, entries: [offer(7, { offer: 1, via: hook, isWritten: false })] };
const hookWritten: InboxState = {
  ...offering,
  entries: [offer(7, { offer: 1, via: hook, isWritten: true })],
};
const callWritten: InboxState = {
  ...offering,
  entries: [offer(7, { offer: 1, via: call, isWritten: true })],
};
const received: InboxState = { ...offering, entries: [receive(7)] };
const states = {
  empty,
  queued,
  /** Message 9 was pushed, but there was no room for it. */
  full: { ...queued, entries: [queue(7), queue(8)], pushed: 9, known: 8 },
  writing,
  "hook written": hookWritten,
  "call written": callWritten,
  /** The client keeps no record. */
  "call written, no record": { ...callWritten, settings: { ...empty.settings, isRecorded: false } },
  received,
  /** Message 7 was set aside, and 8 was received. */
  "received out of order": { ...offering, entries: [queue(7), receive(8)], pushed: 8, known: 8 },
} satisfies Record<string, InboxState>;

const redaction = createFeedEvent(10, "message_redacted", {
  content: { event: "message_redacted", by: "Ana", redacted_sequence: 7, reason: "a key", at: "today" },
});
const events = {
  "pushed 7": { type: "pushed", arrival: arrive(7) },
  "pushed 10": { type: "pushed", arrival: arrive(10) },
  "pushed 10, perhaps held": { type: "pushed", arrival: arrive(10, "perhaps") },
  "pushed 10, held": { type: "pushed", arrival: arrive(10, "held") },
  "pushed 10, the redaction of 7": { type: "pushed", arrival: { message: redaction, earlier: "lost" } },
  "filled 7 to 12": { type: "filled", after: 5, arrivals: [arrive(7), arrive(8), arrive(10)], upTo: 12 },
  "filled nothing to 12": { type: "filled", after: 5, arrivals: [], upTo: 12 },
  "filled after 9": { type: "filled", after: 9, arrivals: [arrive(10)], upTo: 12 },
  "offered 7": { type: "offered", sequences: [7], via: call },
  "settled 1, written": { type: "settled", offer: 1, isWritten: true },
  "settled 1, lost": { type: "settled", offer: 1, isWritten: false },
  "settled 2, lost": { type: "settled", offer: 2, isWritten: false },
  "proved by a call": { type: "proved", evidence: call },
  "proved by the prompt": { type: "proved", evidence: hook },
  "proved by another prompt": { type: "proved", evidence: { by: "hook", prompt: "p2" } },
  "recorded 7": { type: "recorded", sequences: [7] },
  "recorded 8": { type: "recorded", sequences: [8] },
  "conversation ended": { type: "conversationEnded" },
  "passed 3": { type: "passed", cursor: 3 },
  "passed 7": { type: "passed", cursor: 7 },
  "restarted after 2": { type: "restarted", cursor: 2 },
  reset: { type: "reset" },
} satisfies Record<string, InboxEvent>;

type EventName = keyof typeof events;
type Outcome = readonly [change: Partial<InboxState>, effect?: null];

/** The event is ignored, so that the listeners are not called. */
const ignored: Outcome = [{}, null];
const finished = (upTo: number): Outcome => [{ entries: [], finished: upTo }];
/** Outcomes that do not depend on the state, unless it says otherwise. */
const usual: Partial<Record<EventName, Outcome>> = {
  "filled after 9": ignored,
  "settled 1, written": ignored,
  "settled 1, lost": ignored,
  "settled 2, lost": ignored,
  "restarted after 2": [{ entries: [], known: 2, finished: 2 }],
  reset: [{ entries: [], pushed: 0, known: 0, finished: 0 }],
};

/** The outcomes of events while 7 is in the list and there is room for another message. */
function outcomesOf({ entries, offers }: InboxState): Partial<Record<EventName, Outcome>> {
  const arrived = { pushed: 10, known: 10 };
  const [entry] = entries;
  if (!entry) throw new Error("There is no entry.");
  const redacted = entry.is === "received" ? entry : redact(entry);
  const filled: Partial<InboxState> =
    entry.is === "queued"
      ? { entries: [entry, queue(8)], known: 8 }
      : { entries: [entry, queue(8), queue(10)], known: 12 };
  return {
    ...usual,
    "pushed 10": [{ ...arrived, entries: [entry, queue(10)] }],
    "pushed 10, perhaps held": [{ ...arrived, entries: [entry, queue(10, true)] }],
    "pushed 10, held": [arrived],
    "pushed 10, the redaction of 7": [{ ...arrived, entries: [redacted, toQueued(redaction)] }],
    "filled 7 to 12": [filled],
    "filled nothing to 12": [{ known: 12 }],
    "offered 7": [{ offers: offers + 1 }, null],
    "passed 7": finished(7),
  };
}

/** What each event changes in each state. An event that is left out changes nothing, but the listeners are called. */
const outcomes: Record<keyof typeof states, Partial<Record<EventName, Outcome>>> = {
  empty: {
    ...usual,
    "pushed 7": [{ entries: [queue(7)], pushed: 7, known: 7 }],
    "pushed 10": [{ entries: [queue(10)], pushed: 10, known: 10 }],
    "pushed 10, perhaps held": [{ entries: [queue(10, true)], pushed: 10, known: 10 }],
    "pushed 10, held": [{ pushed: 10, known: 10, finished: 10 }],
    "pushed 10, the redaction of 7": [{ entries: [toQueued(redaction)], pushed: 10, known: 10 }],
    "filled 7 to 12": [{ entries: [queue(7), queue(8)], known: 8 }],
    "filled nothing to 12": [{ known: 12, finished: 12 }],
    "offered 7": [{ offers: 1 }, null],
    "passed 7": [{ known: 7, finished: 7 }],
  },
  queued: {
    ...outcomesOf(queued),
    "offered 7": [{ entries: [offer(7, { offer: 1, via: call, isWritten: false })], offers: 1 }, null],
  },
  full: {
    ...usual,
    "pushed 7": ignored,
    "pushed 10": [{ pushed: 10 }, null],
    "pushed 10, perhaps held": [{ pushed: 10 }, null],
    "pushed 10, held": [{ pushed: 10 }, null],
    "pushed 10, the redaction of 7": [
      {
        entries: [redact(queue(7)), queue(8)],
        pushed: 10,
      },
      null,
    ],
    "filled nothing to 12": [{ known: 12 }],
    "offered 7": [
      { entries: [offer(7, { offer: 1, via: call, isWritten: false }), queue(8)], offers: 1 },
      null,
    ],
    "passed 7": [{ entries: [queue(8)], finished: 7 }],
  },
  writing: {
    ...outcomesOf(writing),
    "settled 1, written": [{ entries: hookWritten.entries }],
    "settled 1, lost": [{ entries: [queue(7)] }],
    "proved by another prompt": [{ entries: [queue(7)] }],
    "conversation ended": [{ entries: [queue(7)] }],
  },
  "hook written": {
    ...outcomesOf(hookWritten),
    "settled 1, written": [{}],
    "settled 1, lost": [{ entries: [queue(7)] }],
    "proved by a call": [{ entries: received.entries }],
    "proved by the prompt": [{ entries: received.entries }],
    "proved by another prompt": [{ entries: [queue(7, true)] }],
    "conversation ended": [{ entries: [queue(7, true)] }],
  },
  "call written": {
    ...outcomesOf(callWritten),
    "settled 1, written": [{}],
    "settled 1, lost": [{ entries: [queue(7)] }],
    "proved by a call": [{ entries: received.entries }],
    "proved by the prompt": [{ entries: received.entries }],
    "proved by another prompt": [{ entries: received.entries }],
    "conversation ended": [{ entries: [queue(7, true)] }],
  },
  "call written, no record": {
    ...outcomesOf(callWritten),
    "settled 1, written": [{}],
    "settled 1, lost": [{ entries: [queue(7)] }],
    "proved by a call": finished(7),
    "proved by the prompt": finished(7),
    "proved by another prompt": finished(7),
    "conversation ended": [{ entries: [queue(7, true)] }],
  },
  received: {
    ...outcomesOf(received),
    "recorded 7": finished(7),
    "conversation ended": finished(7),
  },
  "received out of order": {
    ...outcomesOf(queued),
    "pushed 10": [{ entries: [queue(7), receive(8), queue(10)], pushed: 10, known: 10 }],
    "pushed 10, perhaps held": [{ entries: [queue(7), receive(8), queue(10, true)], pushed: 10, known: 10 }],
    "pushed 10, the redaction of 7": [
      {
        entries: [redact(queue(7)), receive(8), toQueued(redaction)],
        pushed: 10,
        known: 10,
      },
    ],
    "filled 7 to 12": [{ entries: [queue(7), receive(8), queue(10)], known: 12 }],
    "offered 7": [
      { entries: [offer(7, { offer: 2, via: call, isWritten: false }), receive(8)], offers: 2 },
      null,
    ],
    "recorded 8": [{ entries: [queue(7)], finished: 8 }],
    "conversation ended": [{ entries: [queue(7)], finished: 8 }],
    "passed 7": [{ entries: [receive(8)], finished: 7 }],
  },
};

for (const [name, state] of Object.entries(states) as [keyof typeof states, InboxState][]) {
  describe(`an inbox that is ${name}`, () => {
    it.each(Object.entries(events))("%s", (event, input) => {
      const [change, effect = "notify"] = outcomes[name][event as EventName] ?? [{}];
      expect(advanceInbox(state, input)).toEqual({ state: { ...state, ...change }, effect });
    });
  });
}

it.each([
  ["empty", 5, 5],
  ["queued", 5, 5],
  ["writing", 5, 5],
  ["call written", 5, 5],
  ["received", 5, 7],
  ["received out of order", 5, 6],
] as const)(
  "[WAKE-4] of an inbox that is %s, %i is acknowledged and %i received",
  (name, acked, received) => {
    expect(findAckCursor(states[name])).toBe(acked);
    expect(findReceivedCursor(states[name])).toBe(received);
  },
);

it("[WAKE-4] a message that is finished before an earlier one is acknowledged after it", () => {
  const { state } = advanceInbox(states["received out of order"], events["recorded 8"]);
  expect([findAckCursor(state), findReceivedCursor(state)]).toEqual([6, 6]);
  const { state: passed } = advanceInbox(state, events["passed 7"]);
  expect([findAckCursor(passed), findReceivedCursor(passed)]).toEqual([8, 8]);
});

it("[CURSOR-10] what is not for the peer is passed with the next message, or once nothing is in the list", () => {
  const { state } = advanceInbox(received, events["pushed 10"]);
  const { state: recorded } = advanceInbox(state, events["recorded 7"]);
  expect([findAckCursor(recorded), findReceivedCursor(recorded)]).toEqual([7, 7]);
  const { state: passed } = advanceInbox(recorded, { type: "passed", cursor: 10 });
  const { state: filled } = advanceInbox(passed, { type: "filled", after: 10, arrivals: [], upTo: 12 });
  expect([findAckCursor(filled), findReceivedCursor(filled)]).toEqual([12, 12]);
});

it("[STDIO-5] what would exceed the size stays at the broker, but one message always fits", () => {
  const settings = { isRecorded: true, messagesMax: 100, charsMax: queue(1).chars * 2 };
  const long = createFeedMessage(1, { content: { text: "x".repeat(1_000) } });
  const push = (state: InboxState, message: Message) =>
    advanceInbox(state, { type: "pushed", arrival: { message, earlier: "lost" } }).state;
  const first = push(createInboxState(0, settings), long);
  expect(push(first, createFeedMessage(2)).entries).toEqual([toQueued(long)]);
  const both = push(push(createInboxState(0, settings), createFeedMessage(1)), createFeedMessage(2));
  expect(push(both, createFeedMessage(3)).entries).toEqual([queue(1), queue(2)]);
  expect(push(both, createFeedMessage(3)).pushed).toBe(3);
});
