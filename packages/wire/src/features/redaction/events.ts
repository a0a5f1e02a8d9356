import type { EventKinds } from "../../feed/event-kind.js";

/** Events about redactions in a feed. */
export type RedactionEvent =
  /** The message that the event replies to was redacted, or these versions of the document were. */
  /**
   * `document_versions` repeats the versions that a redacted redaction event had reported, because nothing
   * else would.
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
  message_redacted: { changes: ["sessions", "attention"], holdsText: true, log: "record" },
} as const satisfies EventKinds<RedactionEvent>;
