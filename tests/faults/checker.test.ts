import { describe, expect, it } from "vitest";
import {
  checkRun,
  type Problem,
  type ReaderEvent,
  type ReaderLog,
  type Run,
  type StoredRow,
} from "./checker.js";

type Changed = { acked: Run["acked"][number][]; readers: ReaderLog[]; database: StoredRow[] };

const session = "s1";

/**
 * Returns a run without problems: two sessions of ten messages, and the records of writers and readers. The first message of each session is an
 * event.
 */
function goodRun(): Changed {
  const database = ["s1", "s2"].flatMap((each) =>
    Array.from({ length: 10 }, (_, index): StoredRow => {
      const sequence = index + 1;
      const key = sequence === 1 ? null : `key ${sequence}`;
      return { session: each, sequence, key, text: `text ${sequence}` };
    }),
  );
  const acked = database.flatMap(({ key, ...row }) => (key === null ? [] : [{ ...row, key }]));
  return {
    database,
    // One post was acknowledged twice, with the same sequence.
    acked: [...acked, ...acked.slice(0, 1)],
    readers: [
      log("follow", "exactly_once", [resumed(1), ...messages(2, 6), resumed(6), ...messages(7, 10)]),
      log("late", "exactly_once", [resumed(8), ...messages(9, 10)]),
      log("wait", "at_least_once", [
        resumed(1),
        resumed(1),
        ...messages(2, 5),
        // The connection breaks here, so unacknowledged messages are delivered again.
        resumed(1),
        ...messages(2, 8),
        resumed(8),
        ...messages(9, 10),
      ]),
    ],
  };
}

function log(reader: string, promise: ReaderLog["promise"], events: readonly ReaderEvent[]): ReaderLog {
  return { reader, session, promise, events };
}

function resumed(cursor: number): ReaderEvent {
  return { type: "resumed", cursor };
}

function messages(from: number, to: number): ReaderEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => message(from + index));
}

function message(sequence: number, text = `text ${sequence}`): ReaderEvent {
  return { type: "message", sequence, text };
}

/** Returns the checker's problems after a change to the good run. */
function problemsAfter(change: (run: Changed) => void): Problem[] {
  const run = goodRun();
  change(run);
  return checkRun(run);
}

function rewrite(run: Changed, reader: string, events: readonly ReaderEvent[]): void {
  run.readers = run.readers.map((each) => (each.reader === reader ? { ...each, events } : each));
}

function dropRow(run: Changed, sequence: number): void {
  run.database = run.database.filter((row) => row.session !== session || row.sequence !== sequence);
}

function changeRow(run: Changed, sequence: number, changes: Partial<StoredRow>): void {
  run.database = run.database.map((row) =>
    row.session === session && row.sequence === sequence ? { ...row, ...changes } : row,
  );
}

it("finds nothing wrong with a good run", () => {
  expect(checkRun(goodRun())).toEqual([]);
});

it("lets a reader of its own cursor begin anywhere, and a post stand unacked", () => {
  const problems = problemsAfter((run) => {
    rewrite(run, "follow", [resumed(4), ...messages(5, 10)]);
    run.acked = run.acked.filter((post) => post.sequence !== 7);
  });
  expect(problems).toEqual([]);
});

describe("turns red for an injected loss", () => {
  it("of an acked message at the end of the feed", () => {
    expect(problemsAfter((run) => dropRow(run, 10))).toContainEqual(
      expect.objectContaining({ kind: "lost", source: "writer", session, sequence: 10 }),
    );
  });

  it("of an acked message whose number another one has", () => {
    expect(problemsAfter((run) => changeRow(run, 5, { key: "other" }))).toContainEqual(
      expect.objectContaining({ kind: "lost", source: "writer", session, sequence: 5 }),
    );
  });

  it("at the end of a reader's log", () => {
    expect(problemsAfter((run) => rewrite(run, "follow", [resumed(1), ...messages(2, 8)]))).toEqual([
      expect.objectContaining({ kind: "lost", source: "follow", sequence: 9 }),
    ]);
  });

  it("of everything, for a reader that was handed nothing", () => {
    expect(problemsAfter((run) => rewrite(run, "wait", [resumed(1)]))).toEqual([
      expect.objectContaining({ kind: "lost", source: "wait", sequence: 2 }),
    ]);
  });
});

describe("turns red for an injected gap", () => {
  it("in the database", () => {
    expect(problemsAfter((run) => dropRow(run, 6))).toContainEqual(
      expect.objectContaining({ kind: "gap", source: "database", session, sequence: 6 }),
    );
  });

  it("at the beginning of the database", () => {
    expect(problemsAfter((run) => dropRow(run, 1))).toContainEqual(
      expect.objectContaining({ kind: "gap", source: "database", session, sequence: 1 }),
    );
  });

  it("within a reader's log", () => {
    const events = [resumed(1), ...messages(2, 4), ...messages(6, 10)];
    expect(problemsAfter((run) => rewrite(run, "follow", events))).toEqual([
      expect.objectContaining({ kind: "skipped", source: "follow", sequence: 5 }),
    ]);
  });

  it("where a reader resumed", () => {
    const events = [resumed(1), ...messages(2, 4), resumed(5), ...messages(6, 10)];
    for (const reader of ["follow", "wait"]) {
      expect(problemsAfter((run) => rewrite(run, reader, events))).toEqual([
        expect.objectContaining({ kind: "skipped", source: reader, sequence: 5 }),
      ]);
    }
  });

  it("where a reader that names nothing resumed after fewer than two calls in a row were cut", () => {
    const cut: ReaderEvent = { type: "cut" };
    const passedOver = (...between: ReaderEvent[]) =>
      problemsAfter((run) =>
        rewrite(run, "wait", [resumed(1), ...messages(2, 4), ...between, resumed(5), ...messages(6, 10)]),
      );
    const skipped = [expect.objectContaining({ kind: "skipped", source: "wait", sequence: 5 })];
    expect(passedOver(cut)).toEqual(skipped);
    expect(passedOver(cut, resumed(4), cut)).toEqual(skipped);
    // Messages that were delivered by two calls whose connections broke are not delivered a third time (CURSOR-6).
    expect(passedOver(cut, cut)).toEqual([]);
  });
});

describe("turns red for an injected change of order", () => {
  it("in the database", () => {
    const problems = problemsAfter((run) => {
      const [five, six] = [run.database[4], run.database[5]];
      if (five && six) run.database.splice(4, 2, six, five);
    });
    expect(problems).toContainEqual(
      expect.objectContaining({ kind: "reordered", source: "database", sequence: 5 }),
    );
  });

  it("in a reader's log", () => {
    const events = [resumed(1), ...messages(2, 4), message(6), message(5), ...messages(7, 10)];
    expect(problemsAfter((run) => rewrite(run, "follow", events))).toContainEqual(
      expect.objectContaining({ kind: "reordered", source: "follow", sequence: 5 }),
    );
  });

  it("between what two writers were told", () => {
    const problems = problemsAfter((run) => {
      run.acked = run.acked.map((post) => {
        if (post.session !== session || ![5, 6].includes(post.sequence)) return post;
        return { ...post, sequence: 11 - post.sequence };
      });
    });
    expect(problems).toMatchObject([
      { kind: "lost", source: "writer", sequence: 6 },
      { kind: "lost", source: "writer", sequence: 5 },
    ]);
  });
});

describe("turns red for an injected duplicate", () => {
  it("of a key in the database", () => {
    const problems = problemsAfter((run) => {
      run.database.push({ session, sequence: 11, key: "key 4", text: "text 4" });
    });
    expect(problems).toContainEqual(
      expect.objectContaining({ kind: "duplicate", source: "database", sequence: 11 }),
    );
  });

  it("of a number in the database", () => {
    const problems = problemsAfter((run) => {
      run.database.splice(5, 0, { session, sequence: 5, key: "key 5b", text: "text 5" });
    });
    expect(problems).toContainEqual(
      expect.objectContaining({ kind: "duplicate", source: "database", sequence: 5 }),
    );
  });

  it("of a post that was answered two sequences", () => {
    const problems = problemsAfter((run) => {
      run.acked.push({ session, key: "key 3", sequence: 9, text: "text 3" });
    });
    expect(problems).toMatchObject([{ kind: "duplicate", source: "writer", sequence: 9 }]);
  });

  it("of a sequence that two posts were answered", () => {
    const problems = problemsAfter((run) => {
      run.acked.push({ session, key: "key 99", sequence: 9, text: "text 9" });
    });
    expect(problems).toMatchObject([{ kind: "duplicate", source: "writer", sequence: 9 }]);
  });

  it("in a reader's log", () => {
    const events = [resumed(1), ...messages(2, 5), ...messages(5, 10)];
    for (const reader of ["follow", "wait"]) {
      expect(problemsAfter((run) => rewrite(run, reader, events))).toEqual([
        expect.objectContaining({ kind: "repeated", source: reader, sequence: 5 }),
      ]);
    }
  });

  it("where a reader of its own cursor resumed", () => {
    const events = [resumed(1), ...messages(2, 5), resumed(4), ...messages(5, 10)];
    expect(problemsAfter((run) => rewrite(run, "follow", events))).toEqual([
      expect.objectContaining({ kind: "repeated", source: "follow", sequence: 5 }),
    ]);
  });

  it("of what a reader had acknowledged", () => {
    const events = [
      ...[resumed(1), ...messages(2, 5)],
      ...[resumed(5), ...messages(6, 7)],
      ...[resumed(4), ...messages(5, 10)],
    ];
    expect(problemsAfter((run) => rewrite(run, "wait", events))).toEqual([
      expect.objectContaining({ kind: "repeated", source: "wait", sequence: 5 }),
    ]);
  });
});

describe("turns red for an altered text", () => {
  it("in the database", () => {
    const problems = problemsAfter((run) => changeRow(run, 7, { text: "text 7 " }));
    expect(problems).toContainEqual(
      expect.objectContaining({ kind: "altered", source: "writer", sequence: 7 }),
    );
    expect(problems).toContainEqual(
      expect.objectContaining({ kind: "altered", source: "follow", sequence: 7 }),
    );
  });

  it("in a reader's log", () => {
    const events = [resumed(8), message(9), message(10, "another text")];
    expect(problemsAfter((run) => rewrite(run, "late", events))).toMatchObject([
      { kind: "altered", source: "late", sequence: 10 },
    ]);
  });
});

it("turns red for a message that was read and is not stored", () => {
  const problems = problemsAfter((run) => rewrite(run, "late", [resumed(8), ...messages(9, 11)]));
  expect(problems).toMatchObject([{ kind: "invented", source: "late", sequence: 11 }]);
});
