import { type CodeLine, highlightCode } from "./colour-code";

/** A request from the page to the worker. The reply has the same id. */
export interface HighlightRequest {
  readonly id: number;
  readonly code: string;
  readonly language: string;
}

export interface HighlightReply {
  readonly id: number;
  /** Null if the code should stay uncoloured. */
  readonly lines: readonly CodeLine[] | null;
}

self.addEventListener("message", ({ data }: MessageEvent<HighlightRequest>) => {
  const { id, code, language } = data;
  void highlightCode(code, language)
    // Without colours the code is still readable.
    .catch(() => null)
    .then((lines) => self.postMessage({ id, lines } satisfies HighlightReply));
});
