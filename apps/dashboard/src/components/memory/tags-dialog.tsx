"use client";

import type { Memory } from "@merkle/wire";
import { type FormEvent, useState } from "react";
import { RefusalNote } from "@/components/session/refusal-note";
import { useAction } from "@/components/session/use-action";
import { Button } from "@/components/ui/button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "@/components/ui/dialog";
import { Field, FieldLabel } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { useCall } from "@/lib/broker/use-call";
import { toTags } from "./memory-choice";

export interface TagsDialogProps {
  readonly memory: Memory;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Gives a memory other tags. */
export function TagsDialog({ memory, onClose, onDone }: TagsDialogProps) {
  const call = useCall();
  const { run, pending, refusal } = useAction();
  const [tags, setTags] = useState(memory.tags.join(", "));

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const tagged = await run(
      async (signal) =>
        void (await call("tag_memory", { id: memory.id, tags: [...toTags(tags)] }, { signal })),
    );
    if (!tagged) return;
    onDone();
    onClose();
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <form className="grid min-w-0 gap-4" onSubmit={(event) => void submit(event)}>
          <DialogHeader>
            <DialogTitle>Tags of {memory.id}</DialogTitle>
            <DialogDescription className="line-clamp-2">
              <bdi>{memory.content}</bdi>
            </DialogDescription>
          </DialogHeader>
          <Field>
            <FieldLabel>Tags, with commas between them</FieldLabel>
            <Input dir="auto" value={tags} onChange={(event) => setTags(event.target.value)} />
          </Field>
          <RefusalNote refusal={refusal} />
          <DialogFooter>
            <Button type="button" variant="outline" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={pending}>
              Save the tags
            </Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  );
}
