import type { NudgeFrame, StateChangeFrame } from "../transports/frames.js";
import { callListener } from "./call-listener.js";

/** A push that does not belong to a subscription. Pushes are not kept for a disconnected client. */
export type Push = StateChangeFrame | NudgeFrame;

/** Forwards pushes to all listeners. */
export class Pushes {
  readonly #listeners = new Set<{ tell: (push: Push) => void }>();

  receive(push: Push): void {
    for (const listener of [...this.#listeners]) callListener(() => listener.tell(push));
  }

  /** Subscribes to later pushes. Returns the unsubscribe function. */
  listen(tell: (push: Push) => void): () => void {
    const listener = { tell };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
