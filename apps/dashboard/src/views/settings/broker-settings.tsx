"use client";

import type { BrokerSettings as Settings } from "@merkle/wire";
import { type FormEvent, useState } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { RefusalNote } from "@/components/refusal-note";
import { PowerGate } from "@/identity/power-gate";
import { Button } from "@/ui/button";
import { Field, FieldDescription, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { Skeleton } from "@/ui/skeleton";

type Threshold = Exclude<keyof Settings, "public_url" | "exclusive_membership" | "alert_inner_addresses">;

/**
 * Repeats the limits of the operation's schema, because browsers do not load the schemas. A missing setting is a
 * compile error.
 */
const thresholds: Readonly<Record<Threshold, { label: string; about: string; min: number; max: number }>> = {
  idle_polls: {
    label: "Stop after (empty waits)",
    about: "After this many empty waits, an agent stops until you prompt it.",
    min: 1,
    max: 1_000,
  },
  mcp_wait_s: {
    label: "Default MCP wait (seconds)",
    about: "Length of a wait without a timeout. Some clients end a call after 30 s.",
    min: 1,
    max: 30,
  },
  brief_after: {
    label: "Summarise above (messages)",
    about: "Above this many unread messages, agents get a summary instead. 0 turns this off.",
    min: 0,
    max: 2_000,
  },
  active_within_s: {
    label: "Active within (seconds)",
    about: "A team seen within this time is active.",
    min: 1,
    max: 3_600,
  },
  disconnected_after_s: {
    label: "Disconnected after (seconds)",
    about: "A team not seen for this long is disconnected.",
    min: 2,
    max: 86_400,
  },
  fold_after_s: {
    label: "Hidden after (seconds)",
    about: "A team with no activity for this long is hidden from the short roster.",
    min: 10,
    max: 86_400,
  },
  quiet_after_s: {
    label: "Quiet after (seconds)",
    about: "After this long without activity, a session appears in Needs you.",
    min: 10,
    max: 86_400,
  },
  undelivered_after_s: {
    label: "Undelivered after (seconds)",
    about: "Flag messages that no recipient has read for this long.",
    min: 60,
    max: 2_592_000,
  },
  unanswered_after_s: {
    label: "Unanswered after (seconds)",
    about: "Mark questions, approvals, proposals and reviews that get no reply for this long. 0: never.",
    min: 0,
    max: 2_592_000,
  },
  progress_days: {
    label: "Keep progress (days)",
    about: "Delete progress entries after this many days. 0 keeps them.",
    min: 0,
    max: 36_500,
  },
  presence_days: {
    label: "Keep presence history (days)",
    about: "Clear an agent's machine and profile details after this many days offline. 0 keeps them.",
    min: 0,
    max: 36_500,
  },
  job_output_days: {
    label: "Keep job output (days)",
    about: "Delete the last output of failed jobs after this many days. 0 keeps it.",
    min: 0,
    max: 36_500,
  },
  dismissed_days: {
    label: "Dismissed items return after (days)",
    about: "Bring dismissed items back after this many days if they're still open. 0: never.",
    min: 0,
    max: 36_500,
  },
};

const names = Object.keys(thresholds) as Threshold[];

/** The broker's settings, which are the same for everyone. */
export function BrokerSettings() {
  const { data, problem, refresh } = useRead("get_settings", {}, { on: ["settings"] });
  if (data) return <ThresholdForm key={JSON.stringify(data.settings)} settings={data.settings} />;
  if (problem) {
    return <ProblemAlert title="Couldn't load settings." problem={problem} onRetry={refresh} />;
  }
  return <Skeleton className="h-48" />;
}

function ThresholdForm({ settings }: { settings: Settings }) {
  const call = useCall();
  const { run, isPending, refusal } = useAction();
  const [values, setValues] = useState<Readonly<Record<Threshold, string>>>(() => toTexts(settings));
  const changedNames = names.filter((name) => values[name] !== String(settings[name]));

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const change = Object.fromEntries(changedNames.map((name) => [name, Number(values[name])]));
    await run(async (signal) => void (await call("update_settings", { settings: change }, { signal })));
  }

  return (
    <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
      <div className="grid gap-4 sm:grid-cols-2">
        {names.map((name) => {
          const { label, about, min, max } = thresholds[name];
          return (
            <Field key={name} className="content-start">
              <FieldLabel>{label}</FieldLabel>
              <Input
                type="number"
                required
                min={min}
                max={max}
                step={1}
                className="w-32 tabular-nums"
                value={values[name]}
                onChange={(event) => setValues({ ...values, [name]: event.target.value })}
              />
              <FieldDescription>{about}</FieldDescription>
            </Field>
          );
        })}
      </div>
      <RefusalNote refusal={refusal} />
      <PowerGate>
        <Button type="submit" className="w-fit" disabled={isPending || changedNames.length === 0}>
          Save changes
        </Button>
      </PowerGate>
    </form>
  );
}

function toTexts(settings: Settings): Readonly<Record<Threshold, string>> {
  return Object.fromEntries(names.map((name) => [name, String(settings[name])])) as Record<Threshold, string>;
}
