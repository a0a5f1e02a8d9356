"use client";

import type { Memory } from "@merkle/wire";
import { useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { Field, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { toMemoryTags } from "./memory-choice";

export interface TagsDialogProps {
  readonly memory: Memory;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Changes the tags of a memory. */
export function TagsDialog({ memory, onClose, onDone }: TagsDialogProps) {
  const call = useCall();
  const [tags, setTags] = useState(memory.tags.join(", "));

  return (
    <FormDialog
      title={`Tags of ${memory.id}`}
      description={<bdi className="line-clamp-2">{memory.content}</bdi>}
      submit="Save tags"
      submitting="Saving…"
      onSubmit={(signal) => call("tag_memory", { id: memory.id, tags: [...toMemoryTags(tags)] }, { signal })}
      onDone={onDone}
      onClose={onClose}
    >
      <Field>
        <FieldLabel>Tags, separated by commas</FieldLabel>
        <Input dir="auto" value={tags} onChange={(event) => setTags(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
