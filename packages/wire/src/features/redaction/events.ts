import type { EventKinds } from "../../feed/event-kind.js";

/** Events about redactions that the broker posts in feeds. */
export type RedactionEvent =
  /**
   * Reports that a message or some versions of the document were redacted. `redacted_sequence` is the sequence of the redacted message. If that message itself reported redacted
   * document versions, `document_versions` repeats them, because nothing else would still report them.
   */
  | {
      event: "message_redacted";
      by: string;
      redacted_sequence: number;
      document_versions?: { from: number; to: number };
      reason: string | null;
      at: string;
    }
  | {
      event: "message_redacted";
      by: string;
      document_versions: { from: number; to: number };
      reason: string | null;
      at: string;
    };

export const events = {
  message_redacted: { changes: ["sessions", "attention"], hasText: true, log: "record" },
} as const satisfies EventKinds<RedactionEvent>;
