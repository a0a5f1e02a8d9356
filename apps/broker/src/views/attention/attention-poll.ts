import type { MeshChannel } from "../../feed/delivery/mesh-channel.js";
import { type FactServices, readFacts } from "./facts.js";

/**
 * Finds what has begun or ceased to wait for a human by itself, such as a session that has become quiet, and announces it to
 * those who watch the mesh. To be called regularly; it reads nothing while nobody watches.
 */
export function createAttentionPoll(
  services: FactServices & { readonly mesh: MeshChannel },
): () => Promise<void> {
  const { mesh } = services;
  let known: ReadonlyMap<string, string | null> | null = null;

  return async function poll() {
    if (!mesh.watched) {
      known = null;
      return;
    }
    const before = known;
    const facts = await readFacts(services, { personId: null });
    known = new Map(facts.map(({ id, sessionId }) => [id, sessionId]));
    // The first look cannot tell what has changed since somebody began to watch.
    const changed = before ? sessionsThatDiffer(before, known) : [null];
    for (const sessionId of changed) {
      mesh.announce("attention", sessionId);
      mesh.announce("sessions", sessionId);
    }
  };
}

/** With null for what differs of files. */
function sessionsThatDiffer(
  before: ReadonlyMap<string, string | null>,
  after: ReadonlyMap<string, string | null>,
): Set<string | null> {
  const begun = [...after].filter(([id]) => !before.has(id));
  const ended = [...before].filter(([id]) => !after.has(id));
  return new Set([...begun, ...ended].map(([, sessionId]) => sessionId));
}
