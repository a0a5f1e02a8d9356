import type { Message } from "@merkle/wire";
import type { FeedRow } from "@/feed/store/feed-rows";
import { clipText, textOf } from "@/feed/store/message-text";
import { layOutAhead } from "@/text/markdown/markdown-text";

/** The number of rows before and after the drawn ones. */
const rowsAhead = 60;
/** What a text may take of a frame that has nothing else to do. */
const textMs = 3;

export interface RowRange {
  readonly startIndex: number;
  readonly endIndex: number;
}

/** Lays out the texts of the rows around those that are drawn while the page has nothing else to do, the nearest first. */
export class TextsAhead {
  readonly #done = new WeakSet<Message>();
  #rows: readonly FeedRow[] = [];
  #drawn: RowRange = { startIndex: 0, endIndex: 0 };
  #stop: (() => void) | undefined;

  readonly lookAround = (rows: readonly FeedRow[], drawn: RowRange): void => {
    this.#rows = rows;
    this.#drawn = drawn;
    this.#stop ??= whenIdle((msLeft) => this.#layOut(msLeft));
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
          this.#stop = whenIdle((left) => this.#layOut(left));
          return;
        }
        this.#done.add(message);
        layOutAhead(clipText(textOf(message)).text);
      }
    }
  }
}

/** Safari knows no idle time: there it is a moment in which nothing else was asked for. */
function whenIdle(run: (msLeft: () => number) => void): () => void {
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
