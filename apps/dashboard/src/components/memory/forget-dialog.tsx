"use client";

import type { Memory } from "@merkle/wire";
import { type FormEvent, useState } from "react";
import { RefusalNote } from "@/components/session/refusal-note";
import { useAction } from "@/components/session/use-action";
import {
  AlertDialog,
  AlertDialogCancel,
  AlertDialogContent,
  AlertDialogDescription,
  AlertDialogFooter,
  AlertDialogTitle,
} from "@/components/ui/alert-dialog";
import { Button } from "@/components/ui/button";
import { Field, FieldLabel } from "@/components/ui/field";
import { Textarea } from "@/components/ui/textarea";
import { useCall } from "@/lib/broker/use-call";

export interface ForgetDialogProps {
  readonly memory: Memory;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const reasonCharsMax = 500;

/** Hides a memory, with the reason. */
export function ForgetDialog({ memory, onClose, onDone }: ForgetDialogProps) {
  const call = useCall();
  const { run, pending, refusal } = useAction();
  const [reason, setReason] = useState("");

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const { id } = memory;
    const forgotten = await run(async (signal) => void (await call("forget", { id, reason }, { signal })));
    if (!forgotten) return;
    onDone();
    onClose();
  }

  return (
    <AlertDialog open onOpenChange={(open) => !open && onClose()}>
      <AlertDialogContent>
        <form className="grid min-w-0 gap-4" onSubmit={(event) => void submit(event)}>
          <AlertDialogTitle>Forget {memory.id}?</AlertDialogTitle>
          <AlertDialogDescription>
            Nobody finds it any more, and the reason is kept with it. It can be restored.
          </AlertDialogDescription>
          <blockquote
            dir="auto"
            className="line-clamp-4 border-l-2 pl-3 text-sm [overflow-wrap:anywhere] text-muted-foreground"
          >
            {memory.content}
          </blockquote>
          <Field>
            <FieldLabel>Why?</FieldLabel>
            <Textarea
              dir="auto"
              required
              maxLength={reasonCharsMax}
              placeholder="The limit was raised in May."
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          </Field>
          <RefusalNote refusal={refusal} />
          <AlertDialogFooter>
            <AlertDialogCancel type="button">Keep it</AlertDialogCancel>
            <Button type="submit" variant="danger" disabled={pending || reason.trim() === ""}>
              Forget
            </Button>
          </AlertDialogFooter>
        </form>
      </AlertDialogContent>
    </AlertDialog>
  );
}
