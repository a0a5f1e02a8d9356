import { MerkleError, type Message } from "@merkle/wire";
import type { MerkleClient, Subscription } from "@merkle/wire/client";
import { limits } from "@merkle/wire/limits";

interface FollowFeedOptions {
  readonly client: MerkleClient;
  readonly sessionId: string;
  /** Start after this message. */
  readonly after: number;
  /** Ends it; what has come by then is left out. */
  readonly signal: AbortSignal;
  /** Called when the broker first confirmed the subscription. */
  readonly onReady: () => void;
  /** Called when a read of the roster, the session or its document would now differ. */
  readonly onChanged?: () => void;
  /** The database was restored: says after which message of the restored feed to go on, or throws. */
  readonly onResync: () => Promise<number>;
}

/** Waits here while whoever reads is slow. What is on its way when more comes is read again later, so little would cost much. */
const waitingCharsMax = 2 * 1024 * 1024;
const resyncsInARowMax = 3;

/**
 * Brings every message of a feed after a cursor, once and in order, through any number of reconnects, for as long as it is
 * asked for more. A slow reader costs neither us nor the broker memory: when too much waits, the subscription is given up,
 * and taken up again after the last message when everything has been read.
 *
 * @throws MerkleError when the broker refuses, or ends the connection for good
 */
export async function* followFeed(options: FollowFeedOptions): AsyncGenerator<Message, void, undefined> {
  const { signal, onResync } = options;
  let place: Place = { after: options.after, epoch: undefined };
  let resyncsInARow = 0;
  let isFirst = true;
  while (!signal.aborted) {
    const inflow = new Inflow(options, place);
    if (isFirst) inflow.ready.then(options.onReady, () => undefined); // A failure ends the messages.
    isFirst = false;
    try {
      for await (const message of inflow.messages()) {
        resyncsInARow = 0;
        yield message;
      }
      place = inflow.place;
    } catch (error) {
      resyncsInARow += 1;
      if (!isResync(error) || resyncsInARow > resyncsInARowMax) throw error;
      const { epoch } = error.details;
      place = { after: await onResync(), epoch: typeof epoch === "string" ? epoch : undefined };
    } finally {
      inflow.close();
    }
  }
}

function isResync(error: unknown): error is MerkleError {
  return error instanceof MerkleError && error.code === "resync";
}

interface Place {
  readonly after: number;
  /** The epoch of which `after` is a number; undefined for what the broker has now. */
  readonly epoch: string | undefined;
}

type InflowState =
  | { readonly is: "open" }
  /** Given up, because too much waited. */
  | { readonly is: "full" }
  | { readonly is: "failed"; readonly error: MerkleError };

/** One subscription, and what it brought that has not been read yet. */
class Inflow {
  readonly #options: FollowFeedOptions;
  readonly #subscription: Subscription;
  #epoch: string | undefined;
  #waiting: Message[] = [];
  #waitingChars = 0;
  #state: InflowState = { is: "open" };
  #wake: () => void = () => undefined;

  constructor(options: FollowFeedOptions, { after, epoch }: Place) {
    this.#options = options;
    this.#epoch = epoch;
    const { onChanged } = options;
    this.#subscription = options.client.follow({
      session: options.sessionId,
      after,
      ...(onChanged === undefined ? {} : { onChanged: () => onChanged() }),
      ...(epoch === undefined ? {} : { epoch }),
      onMessage: (message) => this.#take(message),
      onError: (error) => this.#become({ is: "failed", error }),
    });
  }

  get ready(): Promise<void> {
    return this.#subscription.ready;
  }

  /** Where another subscription goes on. */
  get place(): Place {
    return { after: this.#subscription.cursor, epoch: this.#epoch };
  }

  /** Ends when the signal is aborted, and when too much waited and all of it has been read. */
  async *messages(): AsyncGenerator<Message, void, undefined> {
    const { signal } = this.#options;
    const wake = () => this.#wake();
    signal.addEventListener("abort", wake);
    try {
      while (!signal.aborted) {
        const taken = this.#takeWaiting();
        if (taken.length > 0) yield* taken;
        else if (this.#state.is === "failed") throw this.#state.error;
        else if (this.#state.is === "full") return;
        else await this.#change();
      }
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }

  close(): void {
    this.#subscription.close();
  }

  #take(message: Message): void {
    const { state } = this.#options.client;
    if (state.status === "open") this.#epoch = state.epoch;
    this.#waiting.push(message);
    this.#waitingChars += charsOf(message);
    if (this.#waitingChars > waitingCharsMax) {
      this.close();
      this.#become({ is: "full" });
    }
    this.#wake();
  }

  #takeWaiting(): Message[] {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#waitingChars = 0;
    return taken;
  }

  #become(state: InflowState): void {
    this.#state = state;
    this.#wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** About as long as it is when printed. */
function charsOf(message: Message): number {
  const fieldsBesideContent = 500;
  return JSON.stringify(message.content).length + fieldsBesideContent;
}

/** Where a restored feed parts from the one that was read. */
export interface Parting {
  /** The last message that both have. */
  readonly sequence: number;
  /** How many messages were read that the restored feed does not have. */
  readonly gone: number;
}

/** The last messages that were read. Their ids outlive a restore, which gives their numbers a second time. */
interface ReadMessages {
  add(message: Message): void;
  /** Compares them with the feed as it is after a restore, and forgets those that it does not have. */
  findParting(client: Pick<MerkleClient, "call">, sessionId: string): Promise<Parting>;
}

/** A restore that takes away more than these is taken to have taken away just these. */
const rememberedMax = 1_000;

export function createReadMessages(after: number): ReadMessages {
  const idBySequence = new Map<number, string>();
  let last = after;

  /** The last message that the feed and we have; what was read before the first that we remember is taken to be there. */
  async function findLastKept(client: Pick<MerkleClient, "call">, sessionId: string): Promise<number> {
    const [first = last + 1] = idBySequence.keys();
    let before = last + 1;
    while (before > first) {
      const { messages } = await client.call("get_history", {
        session_id: sessionId,
        before_cursor: before,
        limit: limits.pageMessagesMax,
      });
      const kept = messages.findLast(({ sequence, id }) => idBySequence.get(sequence) === id);
      if (kept) return kept.sequence;
      before = messages[0]?.sequence ?? 0;
    }
    const { last_sequence } = await client.call("get_session", { session_id: sessionId });
    return Math.min(first - 1, last_sequence);
  }

  return {
    add({ sequence, id }) {
      idBySequence.set(sequence, id);
      last = sequence;
      const [first] = idBySequence.keys();
      if (first !== undefined && idBySequence.size > rememberedMax) idBySequence.delete(first);
    },
    async findParting(client, sessionId) {
      const sequence = await findLastKept(client, sessionId);
      const gone = [...idBySequence.keys()].filter((each) => each > sequence);
      for (const each of gone) idBySequence.delete(each);
      last = sequence;
      return { sequence, gone: gone.length };
    },
  };
}
