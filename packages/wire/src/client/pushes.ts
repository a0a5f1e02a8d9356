import type { NudgeFrame, StateChangeFrame } from "../transports/frames.js";
import { callListener } from "./call-listener.js";

/** A push of the broker that no subscription brings. None is kept for a client that is away. */
export type Push = StateChangeFrame | NudgeFrame;

/** Hands pushes to everyone who listens. */
export class Pushes {
  readonly #listeners = new Set<{ tell: (push: Push) => void }>();

  receive(push: Push): void {
    for (const listener of [...this.#listeners]) callListener(() => listener.tell(push));
  }

  /** Listens to later pushes; returns how to stop. */
  listen(tell: (push: Push) => void): () => void {
    const listener = { tell };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
