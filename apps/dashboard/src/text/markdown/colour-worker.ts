import { type CodeLine, colourCode } from "./colour-code";

/** A page's request to the worker; the answer has the same id. */
export interface ColourRequest {
  readonly id: number;
  readonly code: string;
  readonly language: string;
}

export interface ColourReply {
  readonly id: number;
  /** Null where the code stays as it is. */
  readonly lines: readonly CodeLine[] | null;
}

self.addEventListener("message", ({ data }: MessageEvent<ColourRequest>) => {
  const { id, code, language } = data;
  void colourCode(code, language)
    // Without colours it is still the code.
    .catch(() => null)
    .then((lines) => self.postMessage({ id, lines } satisfies ColourReply));
});
