import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import type { Broker, ChangeKind } from "./broker";
import { type Problem, toProblem } from "./problem";

/** The state of a read. Data that was read stays while it is read again, and when that fails. */
export type ReadState<T> =
  | { readonly status: "loading"; readonly data: undefined; readonly problem: undefined }
  | { readonly status: "ready"; readonly data: T; readonly problem: undefined }
  | { readonly status: "failed"; readonly data: T | undefined; readonly problem: Problem };

export interface ReadRequest<Name extends OperationName> {
  readonly name: Name;
  readonly input: InputOf<Name>;
  /** The changes after which it is read again. */
  readonly on: readonly ChangeKind[];
}

/** Up to this number of unused reads are kept, so that going back shows something at once. */
const unusedMax = 60;

const sessionKinds: ReadonlySet<ChangeKind> = new Set([
  "document",
  "roster",
  "session",
  "tasks",
  "usage",
  "delivery",
]);

/** Everything that panels read, each once however many show it. */
export class ReadStore {
  readonly #broker: Broker;
  readonly #reads = new Map<string, StoredRead>();

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  state<Name extends OperationName>(key: string): ReadState<OutputOf<Name>> {
    // The key names the operation, so the stored value is its output.
    return (this.#reads.get(key)?.state ?? loading) as ReadState<OutputOf<Name>>;
  }

  /** Keeps a read up to date until the function that is returned is called. */
  use<Name extends OperationName>(key: string, request: ReadRequest<Name>, onChange: () => void): () => void {
    const read = this.#reads.get(key) ?? new StoredRead(this.#broker, request);
    // Moved to the end: the least recently used come first.
    this.#reads.delete(key);
    this.#reads.set(key, read);
    this.#forgetUnused();
    return read.use(onChange);
  }

  refresh(key: string): void {
    this.#reads.get(key)?.refresh();
  }

  /** Reads everything that is in use again, and forgets the rest: it may be another's. */
  startAnew(): void {
    for (const [key, read] of this.#reads) {
      if (read.isUsed) read.refresh();
      else this.#reads.delete(key);
    }
  }

  #forgetUnused(): void {
    const unused = [...this.#reads].filter(([, read]) => !read.isUsed);
    for (const [key] of unused.slice(0, Math.max(0, unused.length - unusedMax))) this.#reads.delete(key);
  }
}

const loading = { status: "loading", data: undefined, problem: undefined } as const;

class StoredRead {
  state: ReadState<unknown> = loading;
  readonly #broker: Broker;
  readonly #request: ReadRequest<OperationName>;
  readonly #users = new Set<{ readonly tell: () => void }>();
  #stopListening: (() => void) | undefined;
  #reading: AbortController | undefined;
  #isStale = false;
  /** The answer as text, to compare the next one with. */
  #text: string | undefined;

  constructor(broker: Broker, request: ReadRequest<OperationName>) {
    this.#broker = broker;
    this.#request = request;
  }

  get isUsed(): boolean {
    return this.#users.size > 0;
  }

  use(tell: () => void): () => void {
    const user = { tell };
    this.#users.add(user);
    this.#stopListening ??= this.#listen();
    if (!this.#reading && this.#users.size === 1) this.refresh();
    return () => {
      this.#users.delete(user);
      if (this.isUsed) return;
      this.#stopListening?.();
      this.#stopListening = undefined;
      this.#reading?.abort();
      this.#reading = undefined;
      this.#isStale = false;
    };
  }

  /** Reads again. A running request is finished first, since changes may come faster than answers. */
  refresh(): void {
    this.#isStale = this.#reading !== undefined;
    if (this.#isStale) return;
    const reading = new AbortController();
    this.#reading = reading;
    const { name, input } = this.#request;
    this.#broker.call(name, input, { signal: reading.signal }).then(
      (data) => this.#settleWith(reading, data),
      (error: unknown) =>
        this.#settle(reading, {
          status: "failed",
          data: this.state.data,
          problem: toProblem(error, this.state.problem?.since),
        }),
    );
  }

  /** Keeps the object if the data is unchanged, and notifies nobody: most hints are about something else. */
  #settleWith(reading: AbortController, data: unknown): void {
    const text = JSON.stringify(data);
    const isSame = this.state.status === "ready" && text === this.#text;
    this.#text = text;
    this.#settle(reading, isSame ? this.state : { status: "ready", data, problem: undefined });
  }

  #settle(reading: AbortController, state: ReadState<unknown>): void {
    if (reading !== this.#reading) return;
    this.#reading = undefined;
    if (state !== this.state) {
      this.state = state;
      for (const { tell } of [...this.#users]) tell();
    }
    if (this.#isStale) this.refresh();
  }

  #listen(): () => void {
    const { input, on } = this.#request;
    const concerns = (kind: ChangeKind | "all") => kind === "all" || on.includes(kind);
    const stops = [this.#broker.onMeshChanged(({ kind }) => concerns(kind) && this.refresh())];
    if (on.some((kind) => sessionKinds.has(kind)) && "session_id" in input) {
      stops.push(
        this.#broker.onSessionChanged(
          String(input.session_id),
          ({ kind }) => concerns(kind) && this.refresh(),
        ),
      );
    }
    return () => {
      for (const stop of stops) stop();
    };
  }
}
