import type { Message } from "@merkle/wire";
import type { FeedRow } from "@/feed/store/feed-rows";
import { clipText, readMessageText } from "@/feed/store/message-text";
import { layOutAhead } from "@/text/markdown/markdown-text";

/** Number of rows to prepare before and after the rendered rows. */
const rowsAhead = 60;
/** Milliseconds that must be left in an idle frame to lay out the text of another message. */
const textMs = 3;

export interface RowRange {
  readonly startIndex: number;
  readonly endIndex: number;
}

/** Lays out the text of messages around the rendered rows while the page is idle, nearest first. */
export class TextsAhead {
  readonly #done = new WeakSet<Message>();
  #rows: readonly FeedRow[] = [];
  #drawn: RowRange = { startIndex: 0, endIndex: 0 };
  #stop: (() => void) | undefined;

  readonly lookAround = (rows: readonly FeedRow[], drawn: RowRange): void => {
    this.#rows = rows;
    this.#drawn = drawn;
    this.#stop ??= runWhenIdle((msLeft) => this.#layOut(msLeft));
  };

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #layOut(msLeft: () => number): void {
    this.#stop = undefined;
    for (let distance = 1; distance <= rowsAhead; distance += 1) {
      for (const index of [this.#drawn.startIndex - distance, this.#drawn.endIndex + distance]) {
        const message = this.#rows[index]?.first;
        if (message?.type !== "chat" || this.#done.has(message)) continue;
        if (msLeft() < textMs) {
          this.#stop = runWhenIdle((left) => this.#layOut(left));
          return;
        }
        this.#done.add(message);
        layOutAhead(clipText(readMessageText(message)).text);
      }
    }
  }
}

/** Safari has no requestIdleCallback. A short timeout replaces it there. */
function runWhenIdle(run: (msLeft: () => number) => void): () => void {
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(() => {
      const until = performance.now() + 2 * textMs;
      run(() => until - performance.now());
    }, 30);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback((deadline) => run(() => deadline.timeRemaining()));
  return () => cancelIdleCallback(handle);
}
