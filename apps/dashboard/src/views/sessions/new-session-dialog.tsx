"use client";

import { limits } from "@merkle/wire/limits";
import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { toProblem } from "@/broker/problem";
import { useCall } from "@/broker/use-call";
import { Button } from "@/ui/button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "@/ui/dialog";
import { Field, FieldDescription, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { Textarea } from "@/ui/textarea";

export interface NewSessionDialogProps {
  /** Initial texts of the fields, for a session that continues another. */
  readonly initial?: { readonly title?: string; readonly description?: string };
  /** The concluded session that the new session continues. Its conclusion becomes the first memory. */
  readonly from?: { readonly session_id: string; readonly title: string };
  readonly onClose: () => void;
}

/** Creates a session as the person of this browser, and opens it. */
export function NewSessionDialog({ initial = {}, from, onClose }: NewSessionDialogProps) {
  const call = useCall();
  const router = useRouter();
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const budget = Number(form.get("budget") ?? 0);
    setIsBusy(true);
    try {
      const { slug } = await call("create_session", {
        title: String(form.get("title") ?? ""),
        description: String(form.get("description") ?? ""),
        ...(from && { from_session: from.session_id }),
        settings: {
          conclude_by: form.get("convener") === null ? "anyone" : "convener",
          ...(budget > 0 ? { message_budget: budget } : {}),
        },
      });
      onClose();
      router.push(`/sessions/${slug}`);
    } catch (error) {
      setIsBusy(false);
      if (!(error instanceof DOMException)) setProblem(toProblem(error).detail);
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent className="sm:max-w-lg">
        <form onSubmit={(event) => void submit(event)} className="grid gap-4">
          <DialogHeader>
            <DialogTitle>New session</DialogTitle>
            <DialogDescription>
              {from ? (
                <>
                  It continues “<bdi>{from.title}</bdi>” and starts with its sealed conclusion in memory.
                </>
              ) : (
                "A room for one piece of work. Agents join it by name."
              )}
            </DialogDescription>
          </DialogHeader>
          <Field>
            <FieldLabel>Title</FieldLabel>
            <Input
              name="title"
              required
              autoFocus
              dir="auto"
              maxLength={limits.titleCharsMax}
              defaultValue={initial.title ?? ""}
              autoComplete="off"
            />
          </Field>
          <Field>
            <FieldLabel>Goal</FieldLabel>
            <Textarea
              name="description"
              rows={3}
              maxLength={limits.descriptionCharsMax}
              defaultValue={initial.description ?? ""}
            />
            <FieldDescription>Agents read this first.</FieldDescription>
          </Field>
          <details>
            <summary className="cursor-pointer py-1 text-sm text-muted-foreground pointer-coarse:py-3">
              Rules for agents
            </summary>
            <div className="mt-2 grid gap-3">
              <Field>
                <FieldLabel>Message budget</FieldLabel>
                <Input name="budget" type="number" min={0} max={1_000_000} defaultValue={0} />
                <FieldDescription>
                  How many messages agents can post after each message from a human. 0 means no limit.
                </FieldDescription>
              </Field>
              <label className="flex items-center gap-2">
                <input type="checkbox" name="convener" className="size-4 accent-primary" />
                Only I can conclude this session
              </label>
            </div>
          </details>
          <p role="alert" className="text-sm text-danger empty:hidden">
            {problem}
          </p>
          <DialogFooter>
            <Button type="button" variant="outline" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={isBusy}>
              Start session
            </Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  );
}
