import { describe, expect, it } from "vitest";
import {
  advanceReader,
  createReaderState,
  findStart,
  type ReaderEffect,
  type ReaderEvent,
  type ReaderState,
} from "./reader-state.js";

/** The listener has received the messages up to 5 in epoch A. */
const idle: ReaderState = {
  is: "reading",
  delivered: 5,
  buffered: 5,
  isBusy: false,
  waitingChars: 0,
  resyncs: 0,
};
const arriving: ReaderState = { ...idle, buffered: 6 };
const busy: ReaderState = { ...idle, isBusy: true };
const almostFull: ReaderState = { ...busy, buffered: 6, waitingChars: 2 * 1024 * 1024 };
const full: ReaderState = { is: "full", delivered: 5, buffered: 7 };
const fullAndDelivered: ReaderState = { is: "full", delivered: 7, buffered: 7 };
const resyncing: ReaderState = { is: "resyncing", delivered: 5, epoch: "B", isBusy: false, resyncs: 1 };
const resyncingBusy: ReaderState = { ...resyncing, isBusy: true };
const restoredOften: ReaderState = { ...resyncing, resyncs: 3 };
const ended: ReaderState = { is: "ended", delivered: 5 };
const states = {
  hinted: createReaderState(null),
  idle,
  arriving,
  busy,
  "almost full": almostFull,
  full,
  "full, all delivered": fullAndDelivered,
  resyncing,
  "resyncing, busy": resyncingBusy,
  "restored often": restoredOften,
  ended,
};

const events = {
  "received 5": { type: "received", sequence: 5, chars: 10 },
  "received 8": { type: "received", sequence: 8, chars: 10 },
  flushed: { type: "flushed" },
  handled: { type: "handled" },
  "restored to B": { type: "restored", epoch: "B" },
  "restored to C": { type: "restored", epoch: "C" },
  "continued after 2 of B": { type: "continued", after: 2, epoch: "B" },
  "continued after 2 of A": { type: "continued", after: 2, epoch: "A" },
  ended: { type: "ended" },
} satisfies Record<string, ReaderEvent>;

type EventName = keyof typeof events;
type Outcome = readonly [state: ReaderState, effect?: ReaderEffect];

const resyncedToB: Outcome = [resyncing, "ask"];
const resyncedToC: Outcome = [{ ...resyncing, epoch: "C" }, "ask"];
const continued: ReaderState = { ...idle, delivered: 2, buffered: 2, resyncs: 1 };

/** How each event changes each state. An event that is not listed for a state changes nothing and has no effect. */
const outcomes: Record<keyof typeof states, Partial<Record<EventName, Outcome>>> = {
  hinted: { ended: [{ is: "ended", delivered: null }] },
  idle: {
    "received 8": [{ ...idle, buffered: 8 }, "buffer"],
    "restored to B": resyncedToB,
    "restored to C": resyncedToC,
    ended: [ended],
  },
  arriving: {
    "received 8": [{ ...arriving, buffered: 8 }, "buffer"],
    flushed: [{ ...busy, delivered: 6, buffered: 6 }, "deliver"],
    handled: [{ ...busy, delivered: 6, buffered: 6 }, "deliver"],
    "restored to B": resyncedToB,
    "restored to C": resyncedToC,
    ended: [ended],
  },
  busy: {
    "received 8": [{ ...busy, buffered: 8, waitingChars: 10 }, "buffer"],
    handled: [idle],
    "restored to B": [resyncingBusy, "ask"],
    "restored to C": [{ ...resyncingBusy, epoch: "C" }, "ask"],
    ended: [ended],
  },
  "almost full": {
    "received 8": [{ is: "full", delivered: 5, buffered: 8 }, "buffer"],
    handled: [{ ...busy, delivered: 6, buffered: 6 }, "deliver"],
    "restored to B": [resyncingBusy, "ask"],
    "restored to C": [{ ...resyncingBusy, epoch: "C" }, "ask"],
    ended: [ended],
  },
  full: {
    handled: [fullAndDelivered, "deliver"],
    "restored to B": [resyncingBusy, "ask"],
    "restored to C": [{ ...resyncingBusy, epoch: "C" }, "ask"],
    ended: [ended],
  },
  "full, all delivered": {
    handled: [{ ...idle, delivered: 7, buffered: 7 }, "subscribe"],
    "restored to B": [{ ...resyncingBusy, delivered: 7 }, "ask"],
    "restored to C": [{ ...resyncingBusy, epoch: "C", delivered: 7 }, "ask"],
    ended: [{ is: "ended", delivered: 7 }],
  },
  resyncing: {
    "restored to B": [{ ...resyncing, resyncs: 2 }, "ask"],
    "restored to C": [{ ...resyncing, epoch: "C", resyncs: 2 }, "ask"],
    "continued after 2 of B": [continued, "subscribe"],
    ended: [ended],
  },
  "resyncing, busy": {
    handled: [resyncing],
    "restored to B": [{ ...resyncingBusy, resyncs: 2 }, "ask"],
    "restored to C": [{ ...resyncingBusy, epoch: "C", resyncs: 2 }, "ask"],
    "continued after 2 of B": [{ ...continued, isBusy: true }, "subscribe"],
    ended: [ended],
  },
  "restored often": {
    "restored to B": [ended, "fail"],
    "restored to C": [ended, "fail"],
    "continued after 2 of B": [{ ...continued, resyncs: 3 }, "subscribe"],
    ended: [ended],
  },
  ended: {},
};

for (const [name, state] of Object.entries(states) as [keyof typeof states, ReaderState][]) {
  describe(`a reader that is ${name}`, () => {
    it.each(Object.entries(events))("%s", (event, input) => {
      const [next = state, effect = null] = outcomes[name][event as EventName] ?? [];
      expect(advanceReader(state, input)).toEqual({ state: next, effect });
    });
  });
}

it("[CLIENT-3] a subscription starts where the slowest reader that takes messages needs it", () => {
  expect(findStart([arriving, busy, full])).toBe(5);
  expect(findStart([arriving, states.hinted])).toBe(6);
  expect(findStart([full, states.hinted, resyncing])).toBe("anywhere");
  expect(findStart([full, resyncing, ended])).toBeNull();
  expect(findStart([])).toBeNull();
});
