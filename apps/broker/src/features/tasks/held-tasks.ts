import { listHeldTasks } from "@merkle/db";
import type { PeerFactReaders } from "../../sessions/hooks.js";

/**
 * Reads the claimed task of each peer in a session. If a peer has several, uses the one claimed last, which
 * comes last in the list.
 */
export const readHeldTasks: Required<PeerFactReaders>["task"] = async ({ database }, sessionId) => {
  const tasks = await listHeldTasks(database.orm, sessionId);
  const byPeer = new Map(tasks.map((task) => [task.peerId, task]));
  return (peerId) => {
    const task = byPeer.get(peerId);
    return task ? { task: task.number, title: task.title, since: task.claimedAt.toISOString() } : null;
  };
};
