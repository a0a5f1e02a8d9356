import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Bus } from "./bus/bus.js";

/** A node that does not reply within this time has stopped or is unreachable. */
const waitMsMax = 1_000;

/** A `settle` hint to which some of the other nodes have not replied yet. */
interface PendingQuestion {
  readonly unanswered: Set<string>;
  done(): void;
}

/**
 * Returns a function that waits until the other nodes have handled all hints that this node has published
 * (NODE-14). Concurrent calls share one `settle` hint.
 *
 * @param others - returns the ids of the other running nodes
 */
export function createSettle(
  bus: Bus,
  { id: ownId, others }: { readonly id: string; readonly others: () => ReadonlySet<string> },
): () => Promise<void> {
  const questions = new Map<string, PendingQuestion>();
  /** Nodes that did not reply in time. Later calls do not wait for them until they reply again. */
  const silent = new Set<string>();
  let next: Promise<void> | null = null;

  async function askNext(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    next = null;
    const unanswered = new Set([...others()].filter((node) => !silent.has(node)));
    if (!bus.isUp || others().size === 0) return;
    const id = randomUUID();
    const answered = new Promise<void>((done) => questions.set(id, { unanswered, done }));
    // Published even if all other nodes have failed to reply, because a reply shows that a node is back.
    bus.publish("settle", { id });
    const tooLate = new AbortController();
    if (unanswered.size > 0)
      await Promise.race([
        answered,
        delay(waitMsMax, undefined, { signal: tooLate.signal }).catch(() => undefined),
      ]);
    tooLate.abort();
    questions.delete(id);
    for (const node of unanswered) silent.add(node);
  }

  bus.on("settle", ({ id }) => {
    // Hints arrive in order, so the listeners have at least started on all earlier hints.
    void bus.waitForListeners().then(() => bus.publish("settled", { id, node: ownId }));
  });
  bus.on("settled", ({ id, node }) => {
    silent.delete(node);
    const question = questions.get(id);
    if (question?.unanswered.delete(node) && question.unanswered.size === 0) question.done();
  });

  return () => {
    next ??= askNext();
    return next;
  };
}
