"use client";

import type { Memory } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { Field, FieldLabel } from "@/ui/field";
import { Textarea } from "@/ui/textarea";

export interface ForgetDialogProps {
  readonly memory: Memory;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks for a reason, then hides a memory. */
export function ForgetDialog({ memory, onClose, onDone }: ForgetDialogProps) {
  const call = useCall();
  const [reason, setReason] = useState("");

  return (
    <FormDialog
      role="alertdialog"
      className="sm:max-w-md"
      title={`Forget ${memory.id}?`}
      description="It no longer appears in searches. The reason is kept with it, and you can restore it."
      submit="Forget"
      submitting="Forgetting…"
      isReady={reason.trim() !== ""}
      isDangerous
      onSubmit={(signal) => call("forget", { id: memory.id, reason }, { signal })}
      onDone={onDone}
      onClose={onClose}
    >
      <blockquote
        dir="auto"
        className="line-clamp-4 border-l-2 pl-3 text-sm [overflow-wrap:anywhere] text-muted-foreground"
      >
        {memory.content}
      </blockquote>
      <Field>
        <FieldLabel>Reason</FieldLabel>
        <Textarea
          required
          maxLength={limits.reasonCharsMax}
          placeholder="The limit was raised in May."
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
