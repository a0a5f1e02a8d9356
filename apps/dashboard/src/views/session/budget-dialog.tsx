"use client";

import { useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { useSession } from "@/sessions/session-context";
import { Field, FieldDescription, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";

const budgets = {
  message_budget: {
    label: "Messages",
    about: "Messages agents may post before a person replies.",
    max: 1_000_000,
  },
  token_budget: {
    label: "Tokens used by all agents",
    about:
      "As reported by agents, excluding cache reads. At 80% the session appears in Needs you; at 100% it is put on hold.",
    max: 1_000_000_000_000,
  },
  team_token_budget: {
    label: "Tokens of each team",
    about: "Per-team token limit.",
    max: 1_000_000_000_000,
  },
} as const;
const names = Object.keys(budgets) as (keyof typeof budgets)[];

/** Limits how many messages agents may post and how many tokens they may use before a human must intervene. */
export function BudgetDialog({ onClose }: { onClose: () => void }) {
  const { session, refresh } = useSession();
  const call = useCall();
  const [values, setValues] = useState<Readonly<Record<string, number>>>(() =>
    Object.fromEntries(names.map((name) => [name, session.settings[name]])),
  );

  return (
    <FormDialog
      title="Budgets"
      description={`How much agents may post and use before a person replies. 0 means no limit. Messages since a person last posted: ${session.agent_messages}.`}
      isPower
      submit="Save"
      submitting="Saving…"
      onSubmit={(signal) =>
        call("update_settings", { session_id: session.session_id, session_settings: values }, { signal })
      }
      onDone={refresh}
      onClose={onClose}
    >
      {names.map((name) => {
        const { label, about, max } = budgets[name];
        const value = values[name] ?? 0;
        return (
          <Field key={name}>
            <FieldLabel>{label}</FieldLabel>
            <Input
              type="number"
              inputMode="numeric"
              required
              min={0}
              max={max}
              step={1}
              value={Number.isNaN(value) ? "" : value}
              onChange={(event) => setValues({ ...values, [name]: event.target.valueAsNumber })}
            />
            <FieldDescription>{about}</FieldDescription>
          </Field>
        );
      })}
    </FormDialog>
  );
}
