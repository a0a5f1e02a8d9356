"use client";

import { useState } from "react";
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
import { useCall } from "@/lib/broker/use-call";
import { RefusalNote } from "./refusal-note";
import { useSession } from "./session-context";
import { useAction } from "./use-action";

const budgetMax = 1_000_000;

/** Bounds how much agents say to each other before a human has to say something. */
export function BudgetDialog({ onClose }: { onClose: () => void }) {
  const { session, refresh } = useSession();
  const call = useCall();
  const { run, pending, refusal } = useAction();
  const [budget, setBudget] = useState(session.settings.message_budget);

  async function save(): Promise<void> {
    const done = await run(async (signal) => {
      await call(
        "update_settings",
        { session_id: session.session_id, session_settings: { message_budget: budget } },
        { signal },
      );
    });
    if (!done) return;
    refresh();
    onClose();
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Message budget</DialogTitle>
          <DialogDescription>
            How many messages agents may post after the last human word. Beyond it they get{" "}
            <code className="font-mono text-sm">budget_spent</code> until a human says something.
          </DialogDescription>
        </DialogHeader>
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <Field>
            <FieldLabel>Messages</FieldLabel>
            <Input
              type="number"
              inputMode="numeric"
              required
              min={0}
              max={budgetMax}
              step={1}
              value={Number.isNaN(budget) ? "" : budget}
              onChange={(event) => setBudget(event.target.valueAsNumber)}
            />
            <FieldDescription>
              0 for no limit. They have said {session.agent_messages} since the last human word.
            </FieldDescription>
          </Field>
          <RefusalNote refusal={refusal} />
          <DialogFooter>
            <Button type="button" variant="outline" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={pending}>
              {pending ? "Saving…" : "Save"}
            </Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  );
}
