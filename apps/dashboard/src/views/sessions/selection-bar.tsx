"use client";

import { useCall } from "@/broker/use-call";
import { Button } from "@/ui/button";
import { useAttempt } from "@/views/attention/use-attempt";

export interface SelectionBarProps {
  readonly selected: ReadonlySet<string>;
  readonly onClear: () => void;
}

/** The actions on the selected sessions. */
export function SelectionBar({ selected, onClear }: SelectionBarProps) {
  const call = useCall();
  const attempt = useAttempt(onClear);
  return (
    <div
      role="toolbar"
      aria-label="Selected sessions"
      className="mb-3 flex flex-wrap items-center gap-2 rounded-lg border bg-surface px-3 py-1.5"
    >
      <span className="mr-auto tabular-nums">{selected.size} selected</span>
      <Button
        size="sm"
        variant="outline"
        disabled={attempt.isBusy}
        onClick={() =>
          attempt.run(async () => {
            await Promise.all([...selected].map((session_id) => call("mark_read", { session_id })));
            return { text: "Marked as read" };
          })
        }
      >
        Mark read
      </Button>
      <Button size="sm" variant="ghost" onClick={onClear}>
        Clear
      </Button>
      {attempt.failure !== null && (
        <p role="status" className="w-full text-sm">
          {attempt.failure}
        </p>
      )}
    </div>
  );
}
