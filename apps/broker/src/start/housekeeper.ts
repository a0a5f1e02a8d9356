import { purgeNodes, purgeNudges } from "@merkle/db";
import { type AllServices, catchUpFeatures, repeatWork, tidyUpFeatures } from "../features.js";
import { retirePeers } from "../sessions/roster/retire-peers.js";
import type { Meshes } from "../transports/services.js";
import { createAttentionPoll } from "../views/attention/attention-poll.js";
import { deleteSettledDismissals } from "../views/attention/put-away.js";
import { purge } from "../views/housekeeping/purge.js";

/** How often the broker looks for changes whose hint was lost (OPS-8). */
const sweepMs = 5_000;
/** How often each node counts the usage of every quota across all nodes (QUOTA-1). */
const quotaMs = 30_000;
const tidyUpMs = 60 * 60_000;
/** Delay before the first tidy-up. It is short, because some brokers never run for an hour. */
const firstTidyUpMs = 10 * 60_000;
/** How long a dead node stays in the list of nodes. */
const deadNodeHours = 24;
const abandonedNudgeSeconds = 60;

/** Starts the broker's repeated background work. Returns a function that stops it. */
export function startHousekeeper(meshes: Meshes<AllServices>, checkAlone: () => Promise<void>): () => void {
  const { bus, nodes, revocations, channels, presence, settings, database, tasks, quotas } = meshes.main;
  const attentionPolls = new Map<AllServices, () => Promise<void>>();

  async function pollAttention(): Promise<void> {
    for (const services of await meshes.list()) {
      const poll = attentionPolls.get(services) ?? createAttentionPoll(services);
      attentionPolls.set(services, poll);
      await poll();
    }
  }

  async function sweep(): Promise<void> {
    channels.sweep();
    for (const sessionId of presence.sweep(new Date(), settings.current))
      channels.announcePresence(sessionId);
    await catchUp();
    await checkAlone();
  }

  /** Reads changes directly, in case the hints that should have announced them were lost (NODE-3). */
  async function catchUp(): Promise<void> {
    await channels.checkHeads();
    if (nodes.isAlone) return;
    await settings.reload();
    await presence.endReplaced();
    await revocations.checkAll();
    if (!bus.isUp || nodes.hasSilentNodes) await catchUpWithUnseen();
  }

  async function catchUpWithAll(): Promise<void> {
    await catchUp();
    await catchUpWithUnseen();
  }

  /** Announces possible changes to all data that no query can check, so that clients read the data again. */
  async function catchUpWithUnseen(): Promise<void> {
    meshes.clearCaches();
    channels.announceAnything();
    await catchUpFeatures(meshes.main);
  }

  async function tidyUp(): Promise<void> {
    if (!nodes.isLeader) return;
    await purgeNodes(database.orm, deadNodeHours);
    await purgeNudges(database.orm, abandonedNudgeSeconds);
    await purge(database.orm, meshes.main);
    await retirePeers({
      database,
      presence,
      channels,
      nodes,
      invalidateCredential: meshes.invalidateCredential,
    });
    await tidyUpFeatures(meshes.main);
    for (const services of await meshes.list()) {
      await deleteSettledDismissals(services);
      await quotas.countBytes(services.database.meshId);
    }
  }

  const stops = [
    tasks.repeat("sweep", sweepMs, sweep),
    tasks.repeat("attention", sweepMs, pollAttention),
    tasks.repeat("quotas", quotaMs, quotas.measure),
    tasks.repeat("tidy-up", tidyUpMs, tidyUp),
    ...repeatWork(meshes),
    bus.on("lost", () => tasks.run("sweep", catchUpWithAll)),
  ];
  const firstTidyUp = setTimeout(() => void tasks.run("tidy-up", tidyUp), firstTidyUpMs);
  nodes.onNodesStopped(channels.announceAllPresence);
  return () => {
    tasks.stop();
    clearTimeout(firstTidyUp);
    for (const stop of stops) stop();
  };
}
