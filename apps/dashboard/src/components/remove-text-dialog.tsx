"use client";

import type { InputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { type ReactNode, useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { Field, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";

interface RemoveTextDialogProps {
  readonly title: string;
  /** The message, or the document versions, whose text will be removed. */
  readonly input: Omit<InputOf<"redact_message">, "reason" | "team_id" | "idempotency_key">;
  readonly onDone: () => void;
  readonly onClose: () => void;
  /** A preview of the text that will be removed. */
  readonly children: ReactNode;
}

/** Asks for confirmation and a reason before a text is removed permanently. */
export function RemoveTextDialog({ title, input, onDone, onClose, children }: RemoveTextDialogProps) {
  const call = useCall();
  const [reason, setReason] = useState("");

  function remove(signal: AbortSignal): Promise<unknown> {
    const why = reason.trim();
    return call("redact_message", { ...input, ...(why === "" ? {} : { reason: why }) }, { signal });
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
