import { listHeldTasks } from "@merkle/db";
import type { PeerFactReaders } from "../../sessions/hooks.js";

/** Reads the task of each peer of a session; of several, the one that the peer claimed last, which the list has last. */
export const readHeldTasks: PeerFactReaders["task"] = async ({ database }, sessionId) => {
  const held = await listHeldTasks(database.orm, sessionId);
  const byPeer = new Map(held.map((task) => [task.peerId, task]));
  return (peerId) => {
    const task = byPeer.get(peerId);
    return task ? { task: task.number, title: task.title, since: task.claimedAt.toISOString() } : null;
  };
};
