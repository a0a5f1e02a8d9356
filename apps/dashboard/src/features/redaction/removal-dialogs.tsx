"use client";

import type { InputOf, Message } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { type ReactNode, useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { TimeText } from "@/components/time-text";
import { describeEvent } from "@/feed/store/describe-event";
import { readMessageText } from "@/feed/store/message-text";
import type { RemovalOfVersionProps } from "@/parts/feature";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Field, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";

const shownCharsMax = 300;

/** Asks for confirmation before the text of a message is removed, and shows the message. */
export function RemoveMessageDialog({
  message,
  onClose,
}: {
  readonly message: Message;
  readonly onClose: () => void;
}) {
  const { session } = useSession();
  const { sequence, from, type } = message;
  const text = type === "chat" ? showHidden(readMessageText(message)) : describeEvent(message).text;
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

/** Asks for confirmation before the text of a document version is removed. */
export function RemoveVersionDialog({ version, onRemoved, onClose }: RemovalOfVersionProps) {
  const { session } = useSession();
  const number = version.version;
  return (
    <RemoveTextDialog
      title={`Remove the text of version ${number}?`}
      input={{
        session_id: session.session_id,
        document_versions: { from: number, to: number },
      }}
      onDone={onRemoved}
      onClose={onClose}
    >
      <p>
        Written by <bdi className="font-semibold">{version.written_by}</bdi>,{" "}
        <TimeText at={version.written_at} as="clock" />. Other versions may contain the same text.
      </p>
    </RemoveTextDialog>
  );
}

interface RemoveTextDialogProps {
  readonly title: string;
  /** The message, or the document versions, whose text will be removed. */
  readonly input: Omit<InputOf<"redact_message">, "reason" | "team_id" | "idempotency_key">;
  readonly onDone: () => void;
  readonly onClose: () => void;
  /** A preview of the text that will be removed. */
  readonly children: ReactNode;
}

/** Asks for confirmation and a reason before text is removed permanently. */
function RemoveTextDialog({ title, input, onDone, onClose, children }: RemoveTextDialogProps) {
  const call = useCall();
  const [reason, setReason] = useState("");

  function remove(signal: AbortSignal): Promise<unknown> {
    const trimmedReason = reason.trim();
    return call(
      "redact_message",
      { ...input, ...(trimmedReason === "" ? {} : { reason: trimmedReason }) },
      { signal },
    );
  }

  return (
    <FormDialog
      role="alertdialog"
      title={title}
      description="The text is deleted for everyone. The author and time stay in the record. This cannot undo what people have read, or remove copies on other machines."
      submit="Remove text"
      submitting="Removing…"
      isDangerous
      onSubmit={remove}
      onDone={onDone}
      onClose={onClose}
    >
      {children}
      <Field>
        <FieldLabel>Reason (visible to everyone)</FieldLabel>
        <Input
          dir="auto"
          value={reason}
          maxLength={limits.reasonCharsMax}
          placeholder="optional"
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
