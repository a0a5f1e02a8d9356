import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Bus } from "./bus/bus.js";

/** A node that does not answer for so long has stopped, or is cut off. */
const waitMsMax = 1_000;

/** A question to the other nodes that not all have answered yet. */
interface Asking {
  readonly unanswered: Set<string>;
  done(): void;
}

/**
 * Makes what waits until the other nodes have followed all hints that this one has published (NODE-14). Calls that wait at once
 * share one question.
 *
 * @param others - the ids of the other nodes that are there
 */
export function createSettle(
  bus: Bus,
  { id: ownId, others }: { readonly id: string; readonly others: () => ReadonlySet<string> },
): () => Promise<void> {
  const asking = new Map<string, Asking>();
  /** Those that did not answer in time: nobody waits for them until they do. */
  const silent = new Set<string>();
  let next: Promise<void> | null = null;

  async function askNext(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    next = null;
    const unanswered = new Set([...others()].filter((node) => !silent.has(node)));
    if (!bus.isUp || others().size === 0) return;
    const id = randomUUID();
    const answered = new Promise<void>((done) => asking.set(id, { unanswered, done }));
    // Asked even if nobody is waited for: by their answer those who were silent are heard of again.
    bus.publish("settle", { id });
    const tooLate = new AbortController();
    if (unanswered.size > 0)
      await Promise.race([
        answered,
        delay(waitMsMax, undefined, { signal: tooLate.signal }).catch(() => undefined),
      ]);
    tooLate.abort();
    asking.delete(id);
    for (const node of unanswered) silent.add(node);
  }

  bus.on("settle", ({ id }) => {
    // Hints come in order, so all that came before this one are under way at least.
    void bus.followed().then(() => bus.publish("settled", { id, node: ownId }));
  });
  bus.on("settled", ({ id, node }) => {
    silent.delete(node);
    const question = asking.get(id);
    if (question?.unanswered.delete(node) && question.unanswered.size === 0) question.done();
  });

  return () => {
    next ??= askNext();
    return next;
  };
}
