import type { MeshChannel } from "../../feed/delivery/mesh-channel.js";
import { type FactServices, readFacts } from "./facts.js";

/**
 * Returns a function that checks what is waiting for a human and notifies the mesh's watchers of changes. The
 * function must be called regularly, because some changes cause no event, for example when a session becomes
 * quiet. The function reads nothing if there are no watchers.
 */
export function createAttentionPoll(
  services: FactServices & { readonly mesh: MeshChannel },
): () => Promise<void> {
  const { mesh } = services;
  let knownItems: ReadonlyMap<string, string | null> | null = null;

  return async function poll() {
    if (!mesh.isWatched) {
      knownItems = null;
      return;
    }
    const before = knownItems;
    const facts = await readFacts(services, { personId: null });
    knownItems = new Map(
      facts.map(({ id, sessionId, unanswered }) => [unanswered ? `${id} unanswered` : id, sessionId]),
    );
    // The first poll has nothing to compare with, so it always reports a change.
    const changed = before ? listChangedSessions(before, knownItems) : [null];
    for (const sessionId of changed) {
      mesh.announce("attention", sessionId);
      mesh.announce("sessions", sessionId);
    }
  };
}

/**
 * Returns the sessions in which items have started or stopped waiting for a human, or have become
 * unanswered. Null stands for items without a session.
 */
function listChangedSessions(
  before: ReadonlyMap<string, string | null>,
  after: ReadonlyMap<string, string | null>,
): Set<string | null> {
  const begun = [...after].filter(([id]) => !before.has(id));
  const ended = [...before].filter(([id]) => !after.has(id));
  return new Set([...begun, ...ended].map(([, sessionId]) => sessionId));
}
