import type { NudgeFrame, StateChangeFrame } from "../transports/frames.js";
import { callListener } from "./call-listener.js";

/** A push that does not belong to a subscription. The broker keeps no pushes for a disconnected client. */
export type Push = StateChangeFrame | NudgeFrame;

/** Forwards pushes to all listeners. */
export class Pushes {
  readonly #listeners = new Set<{ notify: (push: Push) => void }>();

  receive(push: Push): void {
    for (const listener of [...this.#listeners]) callListener(() => listener.notify(push));
  }

  /** Subscribes to later pushes. Returns a function that unsubscribes. */
  listen(notify: (push: Push) => void): () => void {
    const listener = { notify };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
