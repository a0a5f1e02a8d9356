"use client";

import { AnchoredPopover } from "@/components/anchored-popover";
import { Segmented } from "@/ui/segmented";
import { type DraftKind, type DraftPriority, kindLabels, type MessageDraft, priorityLabels } from "./draft";

export interface OptionsPanelProps {
  readonly draft: MessageDraft;
  readonly anchor: HTMLElement;
  readonly onChange: (change: Partial<MessageDraft>) => void;
  readonly onClose: () => void;
}

/** The choice of the message's kind and priority. An answer is always a plain message. */
export function OptionsPanel({ draft, anchor, onChange, onClose }: OptionsPanelProps) {
  return (
    <AnchoredPopover label="Kind and priority" anchor={anchor} onClose={onClose} className="grid gap-2">
      {draft.quoted?.answers !== true && (
        <Segmented<DraftKind>
          label="Kind of message"
          value={draft.kind}
          options={toOptions(kindLabels)}
          onChange={(kind) => onChange({ kind })}
        />
      )}
      <Segmented<DraftPriority>
        label="Priority"
        value={draft.priority}
        options={toOptions(priorityLabels)}
        onChange={(priority) => onChange({ priority })}
      />
      <p className="max-w-64 text-sm text-muted-foreground">
        Urgent messages get through “do not disturb”. Low-priority messages wake no one.
      </p>
    </AnchoredPopover>
  );
}

function toOptions<Value extends string>(labels: Readonly<Record<Value, string>>) {
  // The type of Object.entries does not keep the keys.
  const entries = Object.entries(labels) as [Value, string][];
  return entries.map(([value, label]) => ({ value, label }));
}
