import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import type { Broker, ChangeKind } from "./broker";
import { type Problem, toProblem } from "./problem";

/** The state of a read. Earlier data stays available during a refresh, and if the refresh fails. */
export type ReadState<T> =
  | { readonly status: "loading"; readonly data: undefined; readonly problem: undefined }
  | { readonly status: "ready"; readonly data: T; readonly problem: undefined }
  | { readonly status: "failed"; readonly data: T | undefined; readonly problem: Problem };

export interface ReadRequest<Name extends OperationName> {
  readonly name: Name;
  readonly input: InputOf<Name>;
  /** The kinds of change that trigger another read. */
  readonly on: readonly ChangeKind[];
}

/** This many unused reads stay cached, so that going back shows data immediately. */
const unusedMax = 60;

const sessionKinds: ReadonlySet<ChangeKind> = new Set([
  "document",
  "roster",
  "session",
  "tasks",
  "usage",
  "delivery",
]);

/** Caches everything that components read. Components with the same request share one read. */
export class ReadStore {
  readonly #broker: Broker;
  readonly #reads = new Map<string, StoredRead>();

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  getState<Name extends OperationName>(key: string): ReadState<OutputOf<Name>> {
    // The key includes the operation's name, so the stored value has the output type of that operation.
    return (this.#reads.get(key)?.state ?? loading) as ReadState<OutputOf<Name>>;
  }

  /** Keeps a read up to date until the returned function is called. */
  subscribe<Name extends OperationName>(
    key: string,
    request: ReadRequest<Name>,
    onChange: () => void,
  ): () => void {
    const read = this.#reads.get(key) ?? new StoredRead(this.#broker, request);
    // Moves the entry to the end, so that the least recently used entries come first.
    this.#reads.delete(key);
    this.#reads.set(key, read);
    this.#forgetUnused();
    return read.subscribe(onChange);
  }

  refresh(key: string): void {
    this.#reads.get(key)?.refresh();
  }

  /** Repeats every read in use and drops the others, because their data may belong to another person. */
  restart(): void {
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
  readonly #users = new Set<{ readonly onChange: () => void }>();
  #stopListening: (() => void) | undefined;
  #reading: AbortController | undefined;
  #isStale = false;
  /** The last answer as JSON, to detect unchanged answers. */
  #text: string | undefined;

  constructor(broker: Broker, request: ReadRequest<OperationName>) {
    this.#broker = broker;
    this.#request = request;
  }

  get isUsed(): boolean {
    return this.#users.size > 0;
  }

  subscribe(onChange: () => void): () => void {
    const user = { onChange };
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

  /** Repeats the read. A pending request finishes first, because changes can arrive faster than answers. */
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

  /** Keeps the old object and notifies no one if the data is unchanged, because most hints concern other data. */
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
      for (const { onChange } of [...this.#users]) onChange();
    }
    if (this.#isStale) this.refresh();
  }

  #listen(): () => void {
    const { input, on } = this.#request;
    const isRelevant = (kind: ChangeKind | "all") => kind === "all" || on.includes(kind);
    const unsubscribers = [this.#broker.onMeshChanged(({ kind }) => isRelevant(kind) && this.refresh())];
    if (on.some((kind) => sessionKinds.has(kind)) && "session_id" in input) {
      unsubscribers.push(
        this.#broker.onSessionChanged(
          String(input.session_id),
          ({ kind }) => isRelevant(kind) && this.refresh(),
        ),
      );
    }
    return () => {
      for (const stop of unsubscribers) stop();
    };
  }
}
