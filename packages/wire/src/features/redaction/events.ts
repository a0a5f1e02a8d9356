import type { EventKinds } from "../../feed/event-kind.js";

/** What the broker announces of removed texts in a feed. */
export type RedactionEvent =
  /** The message that it replies to has lost its text, or these versions of the document have. */
  /** `document_versions` are those that the removed message had said were removed: without its text nothing else would say so. */
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
  message_redacted: { changes: ["sessions", "attention"], holdsText: true, log: "record" },
} as const satisfies EventKinds<RedactionEvent>;
