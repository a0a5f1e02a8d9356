import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { MessageRow } from "@merkle/db";
import { makeRow } from "../kit/message-row.js";
import type { CampaignBroker } from "./campaign-broker.js";
import type { AckedPost } from "./checker.js";
import { holdFeed } from "./holder.js";
import { type BrokerStorage, connectToStorage, killPostmaster } from "./places.js";
import type { ConnectionCut, PostgresProxy } from "./postgres-proxy.js";
import type { Random } from "./random.js";
import type { Watch } from "./watch.js";
import type { WriterTally } from "./writers.js";

/** Everything that a fault acts on: the running broker, its clients, and a random generator. */
export interface Stage {
  readonly place: BrokerStorage;
  readonly broker: CampaignBroker;
  readonly sessions: readonly [string, ...string[]];
  readonly random: Random;
  readonly watch: Watch;
  readonly tally: WriterTally;
  /** Returns the number of acknowledged posts in a session. */
  ackedIn(session: string): number;
}

/** Causes a fault and resolves when the affected processes are running again. */
export type Fault = (stage: Stage) => Promise<void>;

export const faults = {
  restartBroker,
  killBroker,
  killBrokerTwice,
  killBrokerAndPostgres,
  killPostgres,
  killBackend,
  cutAfterCommit: (stage) => cut(stage, { at: "after_commit", of: "append" }),
  cutAfterSend: (stage) => cut(stage, { at: "after_send", of: "append" }),
  cutTransactionAfterCommit: (stage) => cut(stage, { at: "after_commit", of: "transaction" }),
  cutAnywhere: (stage) => cut(stage, { at: "byte", bytes: stage.random.between(1, 30_000) }),
  cutEverything,
  holdBriefly: (stage) => hold(stage, { until: "others_go_on", with: "lock", end: "commit" }),
  holdWithAppend: (stage) => hold(stage, { until: "others_go_on", with: "append", end: "commit" }),
  holdLong: (stage) => hold(stage, { until: "refused", with: "append", end: "commit" }),
  holdAndKill: (stage) => hold(stage, { until: "others_go_on", with: "append", end: "kill" }),
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

/** Sends SIGTERM to the broker or one of its nodes during writes, and restarts it. */
async function restartBroker({ broker, random }: Stage): Promise<void> {
  const victim = random.pick(broker.processes);
  await victim.stop();
  await victim.start();
}

/**
 * Sends SIGKILL to the broker or one of its nodes and restarts it immediately. The broker's PostgreSQL keeps running,
 * and the restarted broker must adopt it.
 */
async function killBroker({ broker, place, random }: Stage): Promise<void> {
  await delay(random.between(0, 20));
  const victim = random.pick(broker.processes);
  const before = await place.postmasterPid();
  await victim.kill();
  await victim.start();
  const after = await place.postmasterPid();
  if (before !== after)
    throw new Error(`PostgreSQL was not adopted: its pid was ${before}, and is ${after}.`);
}

/** Kills the broker, and kills it again while it starts. */
async function killBrokerTwice({ broker, random }: Stage): Promise<void> {
  const victim = random.pick(broker.processes);
  await victim.kill();
  await victim.startAndKill(random.between(50, 600));
  await victim.start();
}

/** Sends SIGKILL to PostgreSQL and to the broker with all its nodes, so that no process can reply. */
async function killBrokerAndPostgres({ broker, place }: Stage): Promise<void> {
  await Promise.all([broker.kill(), killPostmaster(place.home)]);
  await place.untilServed();
  await broker.start();
}

/** Sends SIGKILL to the postmaster. The process that runs PostgreSQL restarts the postmaster. */
async function killPostgres({ place, random }: Stage): Promise<void> {
  await delay(random.between(0, 20));
  await killPostmaster(place.home);
}

/** Sends SIGKILL to a PostgreSQL backend that serves the broker. The postmaster then ends all backends and recovers. */
async function killBackend({ place, random }: Stage): Promise<void> {
  const sql = await connectToStorage(place);
  try {
    const backends = await sql<{ pid: number }[]>`
      SELECT pid FROM pg_stat_activity WHERE application_name = 'merkle' ORDER BY pid`;
    const [first, ...others] = backends.map(({ pid }) => pid);
    if (first === undefined) throw new Error("The broker has no connection to kill.");
    process.kill(random.pick([first, ...others]), "SIGKILL");
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function cut(stage: Stage, how: ConnectionCut): Promise<void> {
  await requireProxy(stage).cut(how);
}

async function cutEverything(stage: Stage): Promise<void> {
  await delay(stage.random.between(0, 20));
  requireProxy(stage).cutAll();
}

interface Hold {
  /**
   * When to release the lock: after the other sessions received more posts, or after posts to the locked session were
   * refused.
   */
  readonly until: "others_go_on" | "refused";
  readonly with: "lock" | "append";
  readonly end: "commit" | "kill";
}

/** Makes another database client pause between locking a feed and committing. */
async function hold(stage: Stage, { until, with: means, end }: Hold): Promise<void> {
  const { place, sessions, random, watch, tally, ackedIn } = stage;
  const session = random.pick(sessions);
  const others = sessions.filter((each) => each !== session);
  const key = `held-${randomUUID()}`;
  const text = `${key} by another client`;
  const holder = await holdFeed({
    target: await place.target(),
    session,
    ...(means === "append" ? { row: foreignRow(session, text) } : {}),
  });
  // Some posts that were committed before the lock may not be acknowledged yet.
  const before = new Map(others.map((each) => [each, ackedIn(each)]));
  const refusedBefore = refusals(tally);
  try {
    await watch.until(
      () => others.every((each) => ackedIn(each) >= (before.get(each) ?? 0) + 20),
      () => `posts to other sessions, while another client holds ${session}`,
    );
    if (until === "refused") {
      await watch.until(
        () => refusals(tally) > refusedBefore,
        () => `a post to the held session ${session} to be refused`,
      );
    }
  } finally {
    if (end === "kill") await holder.kill();
    else await holder.commit();
  }
  if (end === "commit" && holder.sequence !== undefined) {
    const acked: AckedPost = { session, key, sequence: holder.sequence, text };
    tally.acked.push(acked);
  }
}

/** Returns the number of posts that were refused and not written. */
function refusals({ unavailable }: WriterTally): number {
  return unavailable.get("none") ?? 0;
}

function foreignRow(session: string, text: string): MessageRow {
  return makeRow(session, { author_team: "Another client", content: JSON.stringify({ text }) });
}

function requireProxy({ place }: Stage): PostgresProxy {
  if (place.proxy) return place.proxy;
  throw new Error("This fault needs a proxy before PostgreSQL.");
}
