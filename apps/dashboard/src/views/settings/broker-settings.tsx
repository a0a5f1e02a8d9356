"use client";

import type { BrokerSettings as Settings } from "@merkle/wire";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { PowerGate } from "@/identity/power-gate";
import { Skeleton } from "@/ui/skeleton";
import type { Threshold } from "./threshold";
import { ThresholdField } from "./threshold-field";

type Name = Exclude<keyof Settings, "public_url" | "exclusive_membership" | "alert_inner_addresses">;

/**
 * Repeats the limits of the operation's schema, because browsers do not load the schemas. A missing setting is a
 * compile error.
 */
const thresholds: Readonly<Record<Name, Threshold>> = {
  idle_polls: {
    label: "Agent stops after",
    about: "Empty waits in a row, after which an agent stops until you prompt it.",
    unit: "wait",
    min: 1,
    max: 1_000,
  },
  mcp_wait_s: {
    label: "Default MCP wait",
    about: "Length of a wait without a timeout. Some clients end a call after 30 seconds.",
    unit: "seconds",
    min: 1,
    max: 30,
  },
  brief_after: {
    label: "Summarise above",
    about: "With more unread messages than this, agents get a summary instead.",
    unit: "message",
    zero: "never",
    min: 0,
    max: 2_000,
  },
  active_within_s: {
    label: "Active within",
    about: "A team seen within this time is active.",
    unit: "seconds",
    min: 1,
    max: 3_600,
  },
  disconnected_after_s: {
    label: "Disconnected after",
    about: "A team not seen for this long is disconnected.",
    unit: "seconds",
    min: 2,
    max: 86_400,
  },
  fold_after_s: {
    label: "Hidden after",
    about: "A team with no activity for this long is hidden from the short roster.",
    unit: "seconds",
    min: 10,
    max: 86_400,
  },
  quiet_after_s: {
    label: "Quiet after",
    about: "A session without activity for this long appears in Needs you.",
    unit: "seconds",
    min: 1,
    max: 86_400,
  },
  undelivered_after_s: {
    label: "Undelivered after",
    about: "Messages that no recipient has read for this long are flagged.",
    unit: "seconds",
    min: 1,
    max: 2_592_000,
  },
  unanswered_after_s: {
    label: "Unanswered after",
    about: "Questions, approvals, proposals and reviews without a reply for this long are marked.",
    unit: "seconds",
    zero: "never",
    min: 0,
    max: 2_592_000,
  },
  dismissed_days: {
    label: "Dismissed items return after",
    about: "Dismissed items that are still open come back after this time.",
    unit: "days",
    zero: "never",
    min: 0,
    max: 36_500,
  },
  progress_days: {
    label: "Keep progress for",
    about: "Progress entries are deleted after this time.",
    unit: "days",
    zero: "forever",
    min: 0,
    max: 36_500,
  },
  presence_days: {
    label: "Keep presence for",
    about: "An agent's machine and profile details are deleted after this time offline.",
    unit: "days",
    zero: "forever",
    min: 0,
    max: 36_500,
  },
  files_mb_max: {
    label: "Files of a mesh",
    about: "Messages can carry files until those of the mesh have this size in total. 0 refuses all files.",
    unit: "megabyte",
    min: 0,
    max: 1_000_000,
  },
  job_output_days: {
    label: "Keep job output for",
    about: "The last output of failed jobs is deleted after this time.",
    unit: "days",
    zero: "forever",
    min: 0,
    max: 36_500,
  },
};

/** The thresholds that decide what waits in Needs you, for everyone. */
export function AttentionThresholds() {
  return (
    <Thresholds names={["quiet_after_s", "unanswered_after_s", "undelivered_after_s", "dismissed_days"]} />
  );
}

/** How long agents wait, and when they count as present, for everyone. */
export function AgentThresholds() {
  return (
    <Thresholds
      names={[
        "idle_polls",
        "mcp_wait_s",
        "brief_after",
        "active_within_s",
        "disconnected_after_s",
        "fold_after_s",
      ]}
    />
  );
}

/** How long the broker keeps data that is not part of a record, and how much space files may take. */
export function Retention() {
  return <Thresholds names={["progress_days", "presence_days", "job_output_days", "files_mb_max"]} />;
}

function Thresholds({ names }: { readonly names: readonly Name[] }) {
  const { data, problem, refresh } = useRead("get_settings", {}, { on: ["settings"] });
  if (data) {
    return (
      <PowerGate>
        <div className="grid gap-x-6 gap-y-5 sm:grid-cols-2">
          {names.map((name) => (
            <ThresholdField
              key={name}
              name={name}
              threshold={thresholds[name]}
              value={data.settings[name]}
              onSaved={refresh}
            />
          ))}
        </div>
      </PowerGate>
    );
  }
  if (problem) {
    return <ProblemAlert title="Couldn't load settings." problem={problem} onRetry={refresh} />;
  }
  return <Skeleton className="h-48" />;
}
