import { describe, expect, it } from "vitest";
import {
  advance,
  type CursorEffect,
  type CursorEvent,
  type Cursors,
  canResume,
  createCursors,
} from "./cursors.js";

/**
 * Of ten messages, 4 are acknowledged and saved. 8 were sent to the peer, 6 of them in a reply over
 * connection 1.
 */
const reading: Cursors = {
  ...createCursors({ acked: 4, offered: 8, returned: 6, repeated: 4 }),
  unconfirmed: [{ connection: 1, upTo: 6 }],
};
const fresh = createCursors({ acked: 0, offered: 0, returned: 0, repeated: 0 });
/** Messages up to 8 are acknowledged, but only 4 are saved in the database. */
const unsaved: Cursors = { ...reading, acked: 8, ackedByPeer: 8, unconfirmed: [] };
/** The messages up to 6 were returned in a second reply, over connection 2. */
const twice: Cursors = {
  ...reading,
  repeated: 6,
  unconfirmed: [...reading.unconfirmed, { connection: 2, upTo: 6 }],
};
const states = { fresh, reading, twice, unsaved };

const events = {
  "handed out 5": { type: "handedOut", upTo: 5 },
  "handed out 9": { type: "handedOut", upTo: 9 },
  "replied 9 over connection 1": { type: "replied", upTo: 9, again: 6, connection: 1 },
  "replied 9 over connection 3": { type: "replied", upTo: 9, again: 6, connection: 3 },
  "replied 9 through a proxy": { type: "replied", upTo: 9, again: 6 },
  "requested on connection 1": { type: "requested", connection: 1 },
  "requested on connection 3": { type: "requested", connection: 3 },
  "resumed on connection 1": { type: "resumed", connection: 1 },
  "resumed on connection 3": { type: "resumed", connection: 3 },
  "resumed with receipt none": { type: "resumed", receipt: 0, connection: 3 },
  "resumed with receipt 6": { type: "resumed", receipt: 6, connection: 3 },
  "acknowledged 7": { type: "acknowledged", cursor: 7, skipped: 0, durable: true },
  "acknowledged 7 by a wait": { type: "acknowledged", cursor: 7, skipped: 0, durable: false },
  "acknowledged 10, skipping one": { type: "acknowledged", cursor: 10, skipped: 1, durable: true },
  "found 4 to 7 empty": { type: "foundEmpty", after: 4, upTo: 7 },
  "found 6 to 9 empty": { type: "foundEmpty", after: 6, upTo: 9 },
  "saved 8": { type: "saved", acked: 8, placements: 0 },
  "saved 8 before a placement": { type: "saved", acked: 8, placements: -1 },
  "loaded a row at 6": {
    type: "loaded",
    row: { acked: 6, offered: 7, returned: 7, repeated: 6 },
    asOf: reading,
  },
  "loaded a row at 2": {
    type: "loaded",
    row: { acked: 2, offered: 2, returned: 2, repeated: 2 },
    asOf: reading,
  },
  "placed at 2": { type: "placed", cursor: 2 },
  "saved as read 4": { type: "readingSaved", cursor: 4 },
} satisfies Record<string, CursorEvent>;

type EventName = keyof typeof events;
type Outcome = readonly [change: Partial<Cursors>, effect?: CursorEffect];

const placed: Partial<Cursors> = {
  acked: 2,
  ackedByPeer: 2,
  ackedSaved: 2,
  offered: 2,
  returned: 2,
  confirmed: 2,
  repeated: 2,
  unconfirmed: [],
  placements: 1,
};

/**
 * How each event changes each state. An event that is not listed for a state changes nothing and has no
 * effect.
 */
const outcomes: Record<keyof typeof states, Partial<Record<EventName, Outcome>>> = {
  fresh: {
    "handed out 5": [{ offered: 5 }, "save soon"],
    "handed out 9": [{ offered: 9 }, "save soon"],
    "replied 9 over connection 1": [
      { offered: 9, returned: 9, repeated: 6, unconfirmed: [{ connection: 1, upTo: 9 }] },
      "save soon",
    ],
    "replied 9 over connection 3": [
      { offered: 9, returned: 9, repeated: 6, unconfirmed: [{ connection: 3, upTo: 9 }] },
      "save soon",
    ],
    "replied 9 through a proxy": [{ offered: 9, returned: 9, repeated: 6 }, "save soon"],
    "resumed with receipt 6": [{ offered: 6, acked: 6, ackedByPeer: 6 }, "save"],
    "acknowledged 7": [{ offered: 7, acked: 7, ackedByPeer: 7 }, "save"],
    "acknowledged 7 by a wait": [{ offered: 7, acked: 7, ackedByPeer: 7 }, "save soon"],
    "found 4 to 7 empty": [{ empty: { after: 4, upTo: 7 } }],
    "found 6 to 9 empty": [{ empty: { after: 6, upTo: 9 } }],
    "saved 8": [{ ackedSaved: 8 }, "report acked"],
    "loaded a row at 6": [{ acked: 6, ackedSaved: 6, offered: 7, returned: 7, repeated: 6 }],
    // The database contained 4 when the query was sent, but the query returns 2, so another node has moved
    // the cursors back.
    "loaded a row at 2": [placed],
    "placed at 2": [placed],
    "saved as read 4": [{ readSaved: 4 }],
  },
  reading: {
    "handed out 9": [{ offered: 9 }, "save soon"],
    "replied 9 over connection 1": [
      { offered: 9, returned: 9, repeated: 6, unconfirmed: [{ connection: 1, upTo: 9 }] },
      "save soon",
    ],
    "replied 9 over connection 3": [
      {
        offered: 9,
        returned: 9,
        repeated: 6,
        unconfirmed: [
          { connection: 1, upTo: 6 },
          { connection: 3, upTo: 9 },
        ],
      },
      "save soon",
    ],
    "replied 9 through a proxy": [{ offered: 9, returned: 9, repeated: 6 }, "save soon"],
    "requested on connection 1": [{ confirmed: 6, unconfirmed: [] }],
    "resumed on connection 1": [{ confirmed: 6, acked: 6, ackedByPeer: 6, unconfirmed: [] }, "save"],
    "resumed with receipt 6": [{ acked: 6, ackedByPeer: 6, unconfirmed: [] }, "save"],
    "acknowledged 7": [{ acked: 7, ackedByPeer: 7, unconfirmed: [] }, "save"],
    "acknowledged 7 by a wait": [{ acked: 7, ackedByPeer: 7, unconfirmed: [] }, "save soon"],
    "acknowledged 10, skipping one": [{ acked: 8, ackedByPeer: 8, unconfirmed: [] }, "save"],
    "found 4 to 7 empty": [{ empty: { after: 4, upTo: 7 }, acked: 7 }],
    "found 6 to 9 empty": [{ empty: { after: 6, upTo: 9 } }],
    "saved 8": [{ ackedSaved: 8 }, "report acked"],
    "loaded a row at 6": [{ acked: 6, ackedSaved: 6, returned: 7, repeated: 6 }],
    "loaded a row at 2": [placed],
    "placed at 2": [placed],
  },
  twice: {
    "handed out 9": [{ offered: 9 }, "save soon"],
    "replied 9 over connection 1": [
      {
        offered: 9,
        returned: 9,
        unconfirmed: [
          { connection: 2, upTo: 6 },
          { connection: 1, upTo: 9 },
        ],
      },
      "save soon",
    ],
    "replied 9 over connection 3": [
      { offered: 9, returned: 9, unconfirmed: [...twice.unconfirmed, { connection: 3, upTo: 9 }] },
      "save soon",
    ],
    "replied 9 through a proxy": [{ offered: 9, returned: 9 }, "save soon"],
    "requested on connection 1": [{ confirmed: 6, unconfirmed: [{ connection: 2, upTo: 6 }] }],
    "resumed on connection 1": [{ confirmed: 6, acked: 6, ackedByPeer: 6, unconfirmed: [] }, "save"],
    // Nothing shows that the replies arrived, but the messages were returned twice.
    "resumed on connection 3": [{ acked: 6, ackedByPeer: 6, unconfirmed: [] }, "save"],
    "resumed with receipt 6": [{ acked: 6, ackedByPeer: 6, unconfirmed: [] }, "save"],
    "acknowledged 7": [{ acked: 7, ackedByPeer: 7, unconfirmed: [] }, "save"],
    "acknowledged 7 by a wait": [{ acked: 7, ackedByPeer: 7, unconfirmed: [] }, "save soon"],
    "acknowledged 10, skipping one": [{ acked: 8, ackedByPeer: 8, unconfirmed: [] }, "save"],
    "found 4 to 7 empty": [{ empty: { after: 4, upTo: 7 }, acked: 7 }],
    "found 6 to 9 empty": [{ empty: { after: 6, upTo: 9 } }],
    "saved 8": [{ ackedSaved: 8 }, "report acked"],
    "loaded a row at 6": [{ acked: 6, ackedSaved: 6, returned: 7 }],
    "loaded a row at 2": [placed],
    "placed at 2": [placed],
  },
  unsaved: {
    "handed out 9": [{ offered: 9 }, "save soon"],
    "replied 9 over connection 1": [
      { offered: 9, returned: 9, repeated: 6, unconfirmed: [{ connection: 1, upTo: 9 }] },
      "save soon",
    ],
    "replied 9 over connection 3": [
      { offered: 9, returned: 9, repeated: 6, unconfirmed: [{ connection: 3, upTo: 9 }] },
      "save soon",
    ],
    "replied 9 through a proxy": [{ offered: 9, returned: 9, repeated: 6 }, "save soon"],
    // If saving an acknowledgement failed, the next call saves it.
    "resumed on connection 1": [{}, "save"],
    "resumed on connection 3": [{}, "save"],
    "resumed with receipt none": [{}, "save"],
    "resumed with receipt 6": [{}, "save"],
    "acknowledged 7": [{}, "save"],
    "acknowledged 7 by a wait": [{}, "save soon"],
    "acknowledged 10, skipping one": [{}, "save"],
    "found 4 to 7 empty": [{ empty: { after: 4, upTo: 7 } }],
    "found 6 to 9 empty": [{ empty: { after: 6, upTo: 9 }, acked: 9, offered: 9 }],
    "saved 8": [{ ackedSaved: 8 }, "report acked"],
    "loaded a row at 6": [{ ackedSaved: 6, returned: 7, repeated: 6 }],
    "loaded a row at 2": [placed],
    "placed at 2": [placed],
  },
};

for (const [name, state] of Object.entries(states) as [keyof typeof states, Cursors][]) {
  describe(`cursors that are ${name}`, () => {
    it.each(Object.entries(events))("%s", (event, input) => {
      const [change = {}, effect = null] = outcomes[name][event as EventName] ?? [];
      expect(advance(state, input)).toEqual({ cursors: { ...state, ...change }, effect });
    });
  });
}

it("[NODE-7] a row that was read before the node placed the cursors itself changes nothing", () => {
  const { cursors } = advance(reading, { type: "placed", cursor: 2 });
  const row = { acked: 4, offered: 8, returned: 6, repeated: 4 };
  expect(advance(cursors, { type: "loaded", row, asOf: reading }).cursors).toBe(cursors);
});

it("[DELIVER-2] a row that was read while a save was under way puts nothing back", () => {
  const saved = advance({ ...reading, acked: 8 }, { type: "saved", acked: 8, placements: 0 }).cursors;
  const row = { acked: 4, offered: 8, returned: 6, repeated: 4 };
  expect(advance(saved, { type: "loaded", row, asOf: reading }).cursors).toEqual(saved);
});

it("[CURSOR-6] of many connections the newest replies are known, and an older one is brought again", () => {
  let cursors = createCursors({ acked: 0, offered: 0, returned: 0, repeated: 0 });
  for (let connection = 1; connection <= 20; connection += 1) {
    cursors = advance(cursors, { type: "replied", upTo: connection, again: 0, connection }).cursors;
  }
  expect(cursors.unconfirmed).toHaveLength(16);
  expect(advance(cursors, { type: "resumed", connection: 1 }).cursors.acked).toBe(0);
  expect(advance(cursors, { type: "resumed", connection: 20 }).cursors.acked).toBe(20);
});

it("[NODE-7] a call can resume if all that was handed out is acknowledged, arrived or, without receipts, repeated", () => {
  const offered = { ...reading, offered: 6 };
  expect(canResume(offered, { connection: 1, givesReceipts: false })).toBe(true);
  expect(canResume(offered, { connection: 3, givesReceipts: false })).toBe(false);
  expect(canResume(offered, { connection: 3, givesReceipts: true })).toBe(true);
  expect(canResume({ ...twice, offered: 6 }, { connection: undefined, givesReceipts: false })).toBe(true);
});
