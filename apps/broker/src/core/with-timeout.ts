import { MerkleError } from "@merkle/wire";

/**
 * Answers for a database that has gone silent: its own limits (DB-10) end what takes too long, but only while it can say
 * so. What was begun may still be done later.
 *
 * @throws unavailable when `work` has not settled in time
 */
export function withTimeout<Result>(
  work: Promise<Result>,
  ms: number,
  outcome: "none" | "unknown",
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const deadline = deadlinesOf(ms).add(() => reject(silent(outcome)));
    work.then(
      (result) => {
        deadline.clear();
        resolve(result);
      },
      (error: unknown) => {
        deadline.clear();
        reject(error);
      },
    );
  });
}

/**
 * The deadlines of what may take equally long, which come in the order in which it began. So all share one timer: one for each
 * call would cost a post as much as its message does.
 */
class Deadlines {
  readonly #ms: number;
  #first: Deadline | null = null;
  #last: Deadline | null = null;

  constructor(ms: number) {
    this.#ms = ms;
    this.#endLateIn(ms);
  }

  /** @param end - runs when the time is over, unless the deadline is cleared before */
  add(end: () => void): Deadline {
    const deadline = new Deadline(this, performance.now() + this.#ms, end);
    deadline.before = this.#last;
    if (this.#last) this.#last.after = deadline;
    else this.#first = deadline;
    this.#last = deadline;
    return deadline;
  }

  remove(deadline: Deadline): void {
    const { before, after } = deadline;
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
  }

  #endLateIn(ms: number): void {
    setTimeout(() => this.#endLate(), ms).unref();
  }

  #endLate(): void {
    const now = performance.now();
    // A timer counts whole milliseconds, and may come a part of one too soon.
    while (this.#first && this.#first.at - now < 1) {
      const { end } = this.#first;
      this.#first.clear();
      end();
    }
    if (this.#first) this.#endLateIn(this.#first.at - now);
    else deadlines.delete(this.#ms);
  }
}

class Deadline {
  #list: Deadlines | null;
  readonly at: number;
  readonly end: () => void;
  before: Deadline | null = null;
  after: Deadline | null = null;

  constructor(list: Deadlines, at: number, end: () => void) {
    this.#list = list;
    this.at = at;
    this.end = end;
  }

  /** May be called twice. */
  clear(): void {
    this.#list?.remove(this);
    this.#list = null;
    this.before = null;
    this.after = null;
  }
}

/** By their time, for as long as there are some. */
const deadlines = new Map<number, Deadlines>();

function deadlinesOf(ms: number): Deadlines {
  const known = deadlines.get(ms);
  if (known) return known;
  const made = new Deadlines(ms);
  deadlines.set(ms, made);
  return made;
}

function silent(outcome: "none" | "unknown"): MerkleError {
  return new MerkleError(
    "unavailable",
    outcome === "none"
      ? "The database gives no answer; nothing was done. Repeat this in a while."
      : "The database gives no answer, so it is not known whether this was done. Repeat it with the same idempotency_key: it will not be done twice.",
    { outcome, retry_after_s: 5 },
  );
}
