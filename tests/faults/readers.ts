import { setTimeout as delay } from "node:timers/promises";
import { MerkleError, type Message } from "@merkle/wire";
import { connect, type MerkleClient } from "@merkle/wire/client";
import { WebSocket } from "ws";
import type { ReaderEvent, ReaderLog } from "./checker.js";
import { Broken, callRest, canRepeat } from "./rest.js";
import { describe, type Member } from "./writers.js";

/** A reader that records each message when it receives it. */
export interface Reader {
  readonly log: ReaderLog;
  /** The highest sequence received. */
  readonly seen: number;
  stop(): Promise<void>;
}

export interface ReaderOptions extends Member {
  /** The cursor from joining the session. Reading starts after this cursor. */
  readonly cursor: number;
  onProgress(): void;
  /** Called with an error that was not caused by a fault. */
  onFailure(what: string): void;
}

export type StartReader = (options: ReaderOptions) => Reader;

/** All ways of reading that the broker offers. */
export const readerKinds = {
  follow: startFollow,
  renewedFollow: startRenewedFollow,
  inbox: startInbox,
  webSocketWait: startWebSocketWait,
  restWait: startRestWait,
  restCursor: (options) => startCursorPoll(options, readPlain),
  streamCursor: (options) => startCursorPoll(options, readStream),
} satisfies Record<string, StartReader>;

/** Number of messages after which a reader replaces its client and resumes from its own log. */
const renewEvery = 150;
const waitSeconds = 2;

interface Notes {
  readonly log: ReaderLog;
  readonly seen: number;
  resumed(cursor: number): void;
  cut(): void;
  message(message: Message): void;
}

function takeNotes(options: ReaderOptions, promise: ReaderLog["promise"]): Notes {
  const events: ReaderEvent[] = [{ type: "resumed", cursor: options.cursor }];
  let seen = options.cursor;
  return {
    log: { reader: options.name, session: options.session, promise, events },
    get seen() {
      return seen;
    },
    resumed: (cursor) => events.push({ type: "resumed", cursor }),
    cut: () => events.push({ type: "cut" }),
    message({ sequence, content }) {
      events.push({ type: "message", sequence, text: textOf(content) });
      seen = Math.max(seen, sequence);
      options.onProgress();
    },
  };
}

/** Returns the number of messages that the readers received, repeats included. */
export function countMessages(readers: readonly Pick<Reader, "log">[]): number {
  return readers.reduce(
    (sum, { log }) => sum + log.events.filter(({ type }) => type === "message").length,
    0,
  );
}

/** Returns the text of a chat message, or the whole content of an event as JSON. */
export function textOf(content: Record<string, unknown>): string {
  return typeof content["text"] === "string" ? content["text"] : JSON.stringify(content);
}

function openClient({ url }: Member): MerkleClient {
  return connect({ url, WebSocket, retry: { capMs: 500 } });
}

function startFollow(options: ReaderOptions): Reader {
  const notes = takeNotes(options, "exactly_once");
  const client = openClient(options);
  client.follow({
    session: options.session,
    after: options.cursor,
    onMessage: notes.message,
    onError: (error) => options.onFailure(`${options.name} was told ${describe(error)}`),
  });
  return reader(notes, () => client.close());
}

/** Follows a feed and occasionally replaces its client. The new client resumes after the last message in the log. */
function startRenewedFollow(options: ReaderOptions): Reader {
  const notes = takeNotes(options, "exactly_once");
  let client = open();
  let closing: Promise<void> = Promise.resolve();
  let stopped = false;

  function open(): MerkleClient {
    const opened = openClient(options);
    const after = notes.seen;
    opened.follow({
      session: options.session,
      after,
      onMessage(message) {
        notes.message(message);
        if (notes.seen < after + renewEvery || stopped) return;
        closing = Promise.all([closing, opened.close()]).then(() => undefined);
        notes.resumed(notes.seen);
        client = open();
      },
      onError: (error) => options.onFailure(`${options.name} was told ${describe(error)}`),
    });
    return opened;
  }

  return reader(notes, async () => {
    stopped = true;
    await Promise.all([closing, client.close()]);
  });
}

/** Reads messages from an inbox and acknowledges each of them. */
function startInbox(options: ReaderOptions): Reader {
  const notes = takeNotes(options, "exactly_once");
  const client = openClient(options);
  let acking = false;
  let acked = 0;
  let stopped = false;

  async function ackAll(): Promise<void> {
    if (acking) return;
    acking = true;
    while (acked < notes.seen && !stopped) {
      const cursor = notes.seen;
      await client.call(
        "ack",
        { session_id: options.session, team_id: options.credential, cursor },
        { timeoutMs: Number.POSITIVE_INFINITY },
      );
      acked = cursor;
    }
    acking = false;
  }

  client.inbox({
    session: options.session,
    teamId: options.credential,
    onMessage(message) {
      notes.message(message);
      ackAll().catch((error: unknown) => {
        if (!stopped) options.onFailure(`${options.name} was told ${describe(error)}`);
      });
    },
    onError: (error) => options.onFailure(`${options.name} was told ${describe(error)}`),
  });
  return reader(notes, async () => {
    stopped = true;
    await client.close();
  });
}

interface Page {
  readonly messages: readonly Message[];
  readonly next_cursor: number;
  readonly receipt?: string | undefined;
}

/**
 * Waits without a cursor over one client, so the broker keeps the position. The reader sends a receipt for the messages
 * it has read. The client retries broken calls internally, so the number of deliveries cannot be observed here.
 */
function startWebSocketWait(options: ReaderOptions): Reader {
  const client = openClient(options);
  let receipt = "none";
  const loop = startBrokerCursorLoop(options, async (signal) => {
    const page: Page = await client.call(
      "wait_for_messages",
      { session_id: options.session, team_id: options.credential, receipt, timeout: waitSeconds },
      { signal, timeoutMs: Number.POSITIVE_INFINITY },
    );
    receipt = page.receipt ?? receipt;
    return page;
  });
  return {
    ...loop,
    get seen() {
      return loop.seen;
    },
    async stop() {
      await loop.stop();
      await client.close();
    },
  };
}

/** Waits over plain HTTP without a cursor or receipt. */
function startRestWait(options: ReaderOptions): Reader {
  return startBrokerCursorLoop(options, (signal) => readPlain(options, undefined, signal));
}

function startBrokerCursorLoop(options: ReaderOptions, wait: (signal: AbortSignal) => Promise<Page>): Reader {
  const notes = takeNotes(options, "at_least_once");
  return loopReader(options, notes, async (signal) => {
    const { messages, next_cursor } = await wait(signal).catch((error: unknown) => {
      if (error instanceof Broken && !error.wasRefused) notes.cut();
      throw error;
    });
    notes.resumed(messages[0] ? messages[0].sequence - 1 : next_cursor);
    for (const message of messages) notes.message(message);
  });
}

type ReadPage = (options: ReaderOptions, since: number | undefined, signal: AbortSignal) => Promise<Page>;

/** Polls with the cursor from the reader's own log. */
function startCursorPoll(options: ReaderOptions, read: ReadPage): Reader {
  const notes = takeNotes(options, "exactly_once");
  return loopReader(options, notes, async (signal) => {
    const since = notes.seen;
    const { messages } = await read(options, since, signal);
    notes.resumed(since);
    for (const message of messages) notes.message(message);
  });
}

async function readPlain(
  options: ReaderOptions,
  since: number | undefined,
  signal: AbortSignal,
): Promise<Page> {
  return JSON.parse(
    await callRest({ method: "GET", url: waitUrl(options, since), credential: options.credential, signal }),
  );
}

/** Waits for messages over a stream, whose single event contains the page. */
async function readStream(
  options: ReaderOptions,
  since: number | undefined,
  signal: AbortSignal,
): Promise<Page> {
  const text = await callRest({
    method: "GET",
    url: waitUrl(options, since),
    credential: options.credential,
    accept: "text/event-stream",
    signal,
  });
  const event = /^event: (\w+)$/m.exec(text)?.[1];
  const data = /^data: (.*)$/m.exec(text)?.[1];
  if (event === "error" && data !== undefined) throw MerkleError.fromBody(JSON.parse(data));
  // The stream broke after the headers, before the page was complete.
  if (event !== "messages" || data === undefined || !text.endsWith("\n\n"))
    throw new Broken("The stream broke.");
  return JSON.parse(data);
}

function waitUrl({ url, session }: ReaderOptions, since: number | undefined): string {
  const cursor = since === undefined ? "" : `since_cursor=${since}&`;
  return `${url}/api/sessions/${session}/messages/wait?${cursor}timeout=${waitSeconds}`;
}

/** Reads page after page until stopped, and retries failed calls. */
function loopReader(
  options: ReaderOptions,
  notes: Notes,
  readOnce: (signal: AbortSignal) => Promise<void>,
): Reader {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function loop(): Promise<void> {
    while (!signal.aborted) {
      try {
        await readOnce(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!canRepeat(error)) {
          options.onFailure(`${options.name} was told ${describe(error)}`);
          return;
        }
        await delay(20);
      }
    }
  }

  const running = loop();
  return reader(notes, async () => {
    stopping.abort(new Error("The reader was stopped."));
    await running;
  });
}

function reader(notes: Notes, stop: () => Promise<void>): Reader {
  return {
    log: notes.log,
    get seen() {
      return notes.seen;
    },
    stop,
  };
}
