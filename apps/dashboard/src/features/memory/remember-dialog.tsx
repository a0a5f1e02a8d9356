"use client";

import { useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { Field, FieldDescription, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { Textarea } from "@/ui/textarea";
import { toMemoryTags } from "./memory-choice";

export interface RememberDialogProps {
  /** The session in which the memory was learned. */
  readonly session: string | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Stores a memory for all later sessions of the mesh. */
export function RememberDialog({ session, onClose, onDone }: RememberDialogProps) {
  const call = useCall();
  const [content, setContent] = useState("");
  const [tags, setTags] = useState("");

  return (
    <FormDialog
      className="sm:max-w-xl"
      title="Remember"
      description="A lesson, decision or fact that all later sessions of this mesh can find."
      submit="Remember"
      submitting="Remembering…"
      isReady={content.trim() !== ""}
      onSubmit={(signal) =>
        call(
          "remember",
          { content, tags: [...toMemoryTags(tags)], ...(session === null ? {} : { session }) },
          { signal },
        )
      }
      onDone={onDone}
      onClose={onClose}
    >
      <Field>
        <FieldLabel>Content</FieldLabel>
        <Textarea
          required
          className="max-h-[50dvh] min-h-28"
          value={content}
          onChange={(event) => setContent(event.target.value)}
        />
        <FieldDescription>Keep it short and self-contained; readers weren't here.</FieldDescription>
      </Field>
      <Field>
        <FieldLabel>Tags</FieldLabel>
        <Input
          dir="auto"
          placeholder="payments, limits"
          value={tags}
          onChange={(event) => setTags(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
