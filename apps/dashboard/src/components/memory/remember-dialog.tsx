"use client";

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
import { Field, FieldDescription, FieldLabel } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Textarea } from "@/components/ui/textarea";
import { useCall } from "@/lib/broker/use-call";
import { toTags } from "./memory-choice";

export interface RememberDialogProps {
  /** The session that it was learned in. */
  readonly session: string | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Keeps something for all later sessions of the mesh. */
export function RememberDialog({ session, onClose, onDone }: RememberDialogProps) {
  const call = useCall();
  const { run, pending, refusal } = useAction();
  const [content, setContent] = useState("");
  const [tags, setTags] = useState("");

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const kept = await run(
      async (signal) =>
        void (await call(
          "remember",
          { content, tags: [...toTags(tags)], ...(session === null ? {} : { session }) },
          { signal },
        )),
    );
    if (!kept) return;
    onDone();
    onClose();
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent className="sm:max-w-xl">
        <form className="grid min-w-0 gap-4" onSubmit={(event) => void submit(event)}>
          <DialogHeader>
            <DialogTitle>Remember</DialogTitle>
            <DialogDescription>
              A lesson, decision or fact that all later sessions of this mesh can find.
            </DialogDescription>
          </DialogHeader>
          <Field>
            <FieldLabel>What to remember</FieldLabel>
            <Textarea
              dir="auto"
              required
              className="max-h-[50dvh] min-h-28"
              value={content}
              onChange={(event) => setContent(event.target.value)}
            />
            <FieldDescription>Short, and complete by itself: who reads it was not here.</FieldDescription>
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
          <RefusalNote refusal={refusal} />
          <DialogFooter>
            <Button type="button" variant="outline" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={pending || content.trim() === ""}>
              Remember
            </Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  );
}
