import type { Message } from "@merkle/wire";
import type { FeedRow } from "@/feed/store/feed-rows";
import { clipText, readMessageText } from "@/feed/store/message-text";
import { prerenderMarkdown } from "@/text/markdown/markdown-text";

/** Number of rows to prepare before and after the rendered rows. */
const rowsAhead = 60;
/** Milliseconds that must be left in an idle frame to lay out the text of another message. */
const textMs = 3;

export interface RowRange {
  readonly startIndex: number;
  readonly endIndex: number;
}

/** Lays out the text of messages around the rendered rows while the page is idle, nearest first. */
export class MarkdownPrerenderer {
  readonly #rendered = new WeakSet<Message>();
  #rows: readonly FeedRow[] = [];
  #visible: RowRange = { startIndex: 0, endIndex: 0 };
  #stop: (() => void) | undefined;

  readonly renderAround = (rows: readonly FeedRow[], visible: RowRange): void => {
    this.#rows = rows;
    this.#visible = visible;
    this.#stop ??= runWhenIdle((msLeft) => this.#renderNext(msLeft));
  };

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #renderNext(msLeft: () => number): void {
    this.#stop = undefined;
    for (let distance = 1; distance <= rowsAhead; distance += 1) {
      for (const index of [this.#visible.startIndex - distance, this.#visible.endIndex + distance]) {
        const message = this.#rows[index]?.first;
        if (message?.type !== "chat" || this.#rendered.has(message)) continue;
        if (msLeft() < textMs) {
          this.#stop = runWhenIdle((left) => this.#renderNext(left));
          return;
        }
        this.#rendered.add(message);
        prerenderMarkdown(clipText(readMessageText(message)).text);
      }
    }
  }
}

/** Safari has no requestIdleCallback. A short timeout replaces it there. */
function runWhenIdle(run: (msLeft: () => number) => void): () => void {
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(() => {
      const deadline = performance.now() + 2 * textMs;
      run(() => deadline - performance.now());
    }, 30);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback((deadline) => run(() => deadline.timeRemaining()));
  return () => cancelIdleCallback(handle);
}
