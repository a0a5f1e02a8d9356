"use client";

import type { Message } from "@merkle/wire";
import { RemoveTextDialog } from "@/components/remove-text-dialog";
import { describeEvent } from "@/feed/store/describe-event";
import { textOf } from "@/feed/store/message-text";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";

const shownCharsMax = 300;

/** Shows the message and asks for confirmation before its text is removed. */
export function RemoveMessageDialog({
  message,
  onClose,
}: {
  readonly message: Message;
  readonly onClose: () => void;
}) {
  const { session } = useSession();
  const { sequence, from, type } = message;
  const text = type === "chat" ? showHidden(textOf(message)) : describeEvent(message).text;
  return (
    <RemoveTextDialog
      title={`Remove the text of message ${sequence}?`}
      input={{ session_id: session.session_id, sequence }}
      onDone={() => undefined}
      onClose={onClose}
    >
      <blockquote dir="auto" className="line-clamp-4 border-s-2 ps-3 break-words whitespace-pre-line">
        {from !== null && <bdi className="font-semibold">{showHidden(from.team)}: </bdi>}
        {text.slice(0, shownCharsMax)}
      </blockquote>
    </RemoveTextDialog>
  );
}
