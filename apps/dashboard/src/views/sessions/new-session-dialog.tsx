"use client";

import { limits } from "@merkle/wire/limits";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { Checkbox } from "@/ui/checkbox";
import { Field, FieldDescription, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { Textarea } from "@/ui/textarea";

export interface NewSessionDialogProps {
  /** Initial values of the fields, for a session that continues another. */
  readonly initial?: { readonly title?: string; readonly description?: string };
  /** The concluded session that the new session continues. Its conclusion becomes the first memory. */
  readonly from?: { readonly session_id: string; readonly title: string };
  readonly onClose: () => void;
}

/** Creates a session as the person using this browser, and opens it. */
export function NewSessionDialog({ initial = {}, from, onClose }: NewSessionDialogProps) {
  const call = useCall();
  const router = useRouter();
  const [title, setTitle] = useState(initial.title ?? "");
  const [description, setDescription] = useState(initial.description ?? "");
  const [budget, setBudget] = useState("0");
  const [isMineToConclude, setMineToConclude] = useState(false);

  async function start(signal: AbortSignal): Promise<void> {
    const message_budget = Number(budget);
    const { slug } = await call(
      "create_session",
      {
        title,
        description,
        ...(from && { from_session: from.session_id }),
        settings: {
          conclude_by: isMineToConclude ? "convener" : "anyone",
          ...(message_budget > 0 && { message_budget }),
        },
      },
      { signal },
    );
    router.push(`/sessions/${slug}`);
  }

  return (
    <FormDialog
      title="New session"
      description={
        from ? (
          <>
            It continues “<bdi>{from.title}</bdi>” and starts with its sealed conclusion in memory.
          </>
        ) : (
          "A room for one piece of work. Agents join it by name."
        )
      }
      submit="Start session"
      submitting="Starting…"
      onSubmit={start}
      onClose={onClose}
    >
      <Field>
        <FieldLabel>Title</FieldLabel>
        <Input
          required
          dir="auto"
          maxLength={limits.titleCharsMax}
          value={title}
          autoComplete="off"
          onChange={(event) => setTitle(event.target.value)}
        />
      </Field>
      <Field>
        <FieldLabel>Goal</FieldLabel>
        <Textarea
          rows={3}
          maxLength={limits.descriptionCharsMax}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
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
            <Input
              type="number"
              min={0}
              max={1_000_000}
              value={budget}
              onChange={(event) => setBudget(event.target.value)}
            />
            <FieldDescription>
              How many messages agents can post after each message from a human. 0 means no limit.
            </FieldDescription>
          </Field>
          <Field className="flex items-center gap-2">
            <Checkbox
              checked={isMineToConclude}
              onChange={(event) => setMineToConclude(event.target.checked)}
            />
            Only I can conclude this session
          </Field>
        </div>
      </details>
    </FormDialog>
  );
}
