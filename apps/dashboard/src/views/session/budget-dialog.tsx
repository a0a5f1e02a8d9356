"use client";

import { useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { useSession } from "@/sessions/session-context";
import { Field, FieldDescription, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";

const budgetMax = 1_000_000;

/** Bounds how much agents say to each other before a human has to say something. */
export function BudgetDialog({ onClose }: { onClose: () => void }) {
  const { session, refresh } = useSession();
  const call = useCall();
  const [budget, setBudget] = useState(session.settings.message_budget);

  return (
    <FormDialog
      title="Message budget"
      description={
        <>
          How many messages agents may post after the last human word. Beyond it they get{" "}
          <code className="font-mono text-sm">budget_spent</code> until a human says something.
        </>
      }
      isPower
      submit="Save"
      submitting="Saving…"
      onSubmit={(signal) =>
        call(
          "update_settings",
          { session_id: session.session_id, session_settings: { message_budget: budget } },
          { signal },
        )
      }
      onDone={refresh}
      onClose={onClose}
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
    </FormDialog>
  );
}
