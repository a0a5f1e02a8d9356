"use client";

import type { Message } from "@merkle/wire";
import { MerkleError } from "@merkle/wire/errors";
import { useCallback } from "react";
import { useSession } from "@/components/session/session-context";
import { useCall } from "@/lib/broker/use-call";
import { withDecision } from "@/lib/feed/decisions";

const triesMax = 3;

/**
 * Writes a message below the document's heading "Decisions", with a link back to it, and resolves with the new version. It
 * is written into what the document says at that moment: when somebody else is faster, it is read and tried again.
 *
 * @throws MerkleError the broker's refusal
 */
export function useAddDecision(): (message: Message, link: string) => Promise<number> {
  const call = useCall();
  const { session } = useSession();
  const { session_id } = session;
  return useCallback(
    async (message, link) => {
      for (let tries = 1; ; tries += 1) {
        const { content = "", version } = await call("read_session_doc", { session_id });
        try {
          const written = await call("update_session_doc", {
            session_id,
            content: withDecision(content, message, link),
            expected_version: version,
          });
          return written.version;
        } catch (error) {
          if (tries >= triesMax || !(error instanceof MerkleError) || error.code !== "conflict") throw error;
        }
      }
    },
    [call, session_id],
  );
}
