import { setMaxListeners } from "node:events";
import { connect } from "@merkle/wire/client";
import { WebSocket } from "ws";
import { type CampaignBroker, startCampaignBroker } from "./campaign-broker.js";
import { type AckedPost, checkRun, type Problem, type StoredRow } from "./checker.js";
import { type FaultName, faults, type Stage } from "./faults.js";
import { type BrokerStorage, connectToStorage } from "./places.js";
import { createRandom, type Random } from "./random.js";
import {
  countMessages,
  type Reader,
  type ReaderOptions,
  readerKinds,
  type StartReader,
  textOf,
} from "./readers.js";
import { startVerbWriter, type VerbWriter } from "./verb-writer.js";
import { createWatch, type Watch } from "./watch.js";
import {
  type Member,
  startRestWriter,
  startWebSocketWriter,
  type Writer,
  type WriterTally,
} from "./writers.js";

export interface CampaignOptions {
  readonly place: BrokerStorage;
  /** The faults, in the order in which they happen. */
  readonly faults: readonly FaultName[];
  readonly seed: number;
  readonly deadlineMs: number;
}

export interface CampaignReport {
  readonly seed: number;
  readonly faults: number;
  readonly acked: number;
  readonly repeats: number;
  readonly unavailable: Readonly<Record<string, number>>;
  /** Number of messages that the readers received, repeats included. */
  readonly read: number;
  readonly stored: number;
  readonly durationMs: number;
  readonly problems: readonly Problem[];
}

const sessionCount = 3;
const writerCount = 8;

/** Each reader's kind and session. Every session has readers of several kinds. */
const readers: readonly (readonly [StartReader, number])[] = [
  [readerKinds.follow, 0],
  [readerKinds.renewedFollow, 1],
  [readerKinds.restCursor, 0],
  [readerKinds.restCursor, 2],
  [readerKinds.webSocketWait, 1],
  [readerKinds.restWait, 2],
  [readerKinds.streamCursor, 0],
  [readerKinds.inbox, 1],
];

/**
 * Runs eight writers and eight readers in three sessions while faults are injected one after another. Then waits
 * until all writes are acknowledged and read, and compares the records of writers, readers and database.
 *
 * @throws if a client got an error that no fault explains, or if a condition that the run waits for is not met
 */
export async function runCampaign({
  place,
  seed,
  deadlineMs,
  ...options
}: CampaignOptions): Promise<CampaignReport> {
  const startedAt = performance.now();
  const random = createRandom(seed);
  const watch = createWatch(deadlineMs);
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  const tally = createTally(watch, over.signal);
  const broker = await startCampaignBroker(place, watch.giveUp);
  const crew = await hire({ broker, random, watch, tally });
  try {
    const stage: Stage = {
      place,
      broker,
      sessions: crew.sessions,
      random,
      watch,
      tally,
      ackedIn: tally.ackedIn,
    };
    for (const name of options.faults) {
      await progress(stage, random.between(2, 12), `before ${name}`);
      await faults[name](stage);
      // Waits for more posts than could be in flight when the fault ended, so some of them were sent afterwards.
      await progress(stage, 2 * writerCount, `after ${name}`);
    }
    await waitOrGiveUp(crew.drain(), watch, () => `the last ${tally.inFlight} posts to be acked`);
    const rows = await readRows(place);
    await untilAllRead(crew.readers, rows, watch);
    await crew.dismiss();
    const problems = [
      ...checkRun({
        acked: [...tally.acked, ...crew.verbs.acked(rows)],
        readers: crew.readers.map(({ log }) => log),
        database: rows,
      }),
      ...(await crew.verbs.checkDocument(broker.url)),
    ];
    await broker.stop();
    return {
      seed,
      faults: options.faults.length,
      acked: tally.acked.length,
      repeats: tally.repeats,
      unavailable: Object.fromEntries(tally.unavailable),
      read: countMessages(crew.readers),
      stored: rows.length,
      durationMs: Math.round(performance.now() - startedAt),
      problems,
    };
  } catch (error) {
    throw new Error(`Seed ${seed}: ${String(error)}\n${broker.logged().join("\n")}`, {
      cause: error,
    });
  } finally {
    watch.stop();
    over.abort(new Error("The campaign is over."));
    await crew.drain();
    await crew.dismiss();
    await broker.kill();
  }
}

interface Tally extends WriterTally {
  ackedIn(session: string): number;
}

function createTally(watch: Watch, over: AbortSignal): Tally {
  const acked: AckedPost[] = [];
  const counts = new Map<string, number>();
  let counted = 0;

  function count(): void {
    for (const { session } of acked.slice(counted)) counts.set(session, (counts.get(session) ?? 0) + 1);
    counted = acked.length;
  }

  return {
    acked,
    inFlight: 0,
    repeats: 0,
    unavailable: new Map(),
    over,
    onAck() {
      count();
      watch.notify();
    },
    onFailure: (what) => watch.giveUp(what),
    ackedIn: (session) => counts.get(session) ?? 0,
  };
}

/**
 * Resolves when every session has received this many more posts, and at least as many writes are in flight as there are
 * writers.
 */
async function progress(
  { watch, tally, sessions, ackedIn }: Stage,
  posts: number,
  when: string,
): Promise<void> {
  const goals = sessions.map((session) => ({ session, goal: ackedIn(session) + posts }));
  const isBehind = ({ session, goal }: { session: string; goal: number }) => ackedIn(session) < goal;
  await watch.until(
    () => !goals.some(isBehind) && tally.inFlight >= writerCount,
    () =>
      `posts to ${goals.filter(isBehind).map(({ session }) => session)} ${when}; ${tally.inFlight} are in flight`,
  );
}

interface Crew {
  readonly sessions: readonly [string, ...string[]];
  readonly readers: readonly Reader[];
  readonly verbs: VerbWriter;
  /** Lets the writers finish their current posts. Resolves when all posts are acknowledged. */
  drain(): Promise<void>;
  dismiss(): Promise<void>;
}

interface CrewInput {
  readonly broker: CampaignBroker;
  readonly random: Random;
  readonly watch: Watch;
  readonly tally: WriterTally;
}

/** Creates the sessions, makes all clients join, and starts the clients. */
async function hire({ broker, random, watch, tally }: CrewInput): Promise<Crew> {
  const { url } = broker;
  const client = connect({ url, WebSocket });
  const sessions: string[] = [];
  for (let index = 0; index < sessionCount; index += 1) {
    const created = await client.call("create_session", {
      title: `Campaign ${index}`,
      description: "Under fire.",
      creator_team_name: "Convener",
    });
    sessions.push(created.session_id);
  }

  async function join(name: string, index: number): Promise<Member & { cursor: number }> {
    const session = sessions[index % sessions.length] ?? "";
    const { team_id, cursor } = await client.call("join_session", { session_id: session, team_name: name });
    return { name, url, session, credential: team_id, cursor };
  }

  const readerOptions: [StartReader, ReaderOptions][] = [];
  for (const [index, [start, session]] of readers.entries()) {
    const member = await join(`reader-${index}-${start.name}`, session);
    readerOptions.push([
      start,
      { ...member, onProgress: watch.notify, onFailure: (what) => watch.giveUp(what) },
    ]);
  }
  const writers: Writer[] = [];
  const running = readerOptions.map(([start, options]) => start(options));
  for (let index = 0; index < writerCount; index += 1) {
    const member = await join(`writer-${index}`, index);
    const start = index % 2 === 0 ? startWebSocketWriter : startRestWriter;
    writers.push(start(member, tally, createRandom(random.between(0, 2 ** 31))));
  }
  const verbs = startVerbWriter(await join("verbs", 0), tally);
  await client.close();

  return {
    // The loop above created three sessions.
    sessions: sessions as [string, ...string[]],
    readers: running,
    verbs,
    async drain() {
      await Promise.all([...writers, verbs].map((writer) => writer.stop()));
    },
    async dismiss() {
      await Promise.all(running.map((reader) => reader.stop()));
    },
  };
}

async function waitOrGiveUp(done: Promise<unknown>, watch: Watch, what: () => string): Promise<void> {
  let isDone = false;
  void done.then(() => {
    isDone = true;
    watch.notify();
  });
  await watch.until(() => isDone, what);
}

async function untilAllRead(all: readonly Reader[], rows: readonly StoredRow[], watch: Watch): Promise<void> {
  const ends = new Map(rows.map(({ session, sequence }) => [session, sequence]));
  const isBehind = ({ log, seen }: Reader) => seen < (ends.get(log.session) ?? 0);
  const describeReader = (reader: Reader) =>
    `${reader.log.reader} at ${reader.seen} of ${ends.get(reader.log.session)}`;
  await watch.until(
    () => !all.some(isBehind),
    () => `the readers to come to the end: ${all.filter(isBehind).map(describeReader).join(", ")}`,
  );
}

async function readRows(place: BrokerStorage): Promise<StoredRow[]> {
  const sql = await connectToStorage(place);
  try {
    const rows = await sql<{ session_id: string; sequence: string; content: string }[]>`
      SELECT session_id, sequence, content FROM messages ORDER BY session_id, sequence`;
    return rows.map(({ session_id, sequence, content }) => {
      const parsed: Record<string, unknown> = JSON.parse(content);
      return { session: session_id, sequence: Number(sequence), text: textOf(parsed), key: keyOf(parsed) };
    });
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Returns the key in a message. Each post in the campaign begins with its key, and each metadata change uses its key as
 * the reason.
 */
function keyOf({ text, reason }: Record<string, unknown>): string | null {
  if (typeof text === "string") return text.split(" ")[0] ?? null;
  return typeof reason === "string" ? reason : null;
}
