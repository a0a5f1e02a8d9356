"use client";

import { type AttentionItem, nameOfPlace } from "@merkle/wire";
import { Ellipsis } from "lucide-react";
import { useRef } from "react";
import { useCall } from "@/broker/use-call";
import { Button } from "@/ui/button";
import { useAttempt } from "./use-attempt";

export interface PutAwayProps {
  readonly item: AttentionItem;
  readonly onChanged: () => void;
}

/** Takes an item off one's own list: until a time, or for good. Others still see it. */
export function PutAway({ item, onChanged }: PutAwayProps) {
  const call = useCall();
  const attempt = useAttempt(onChanged);
  const menu = useRef<HTMLDetailsElement>(null);

  function putAway(how: { until?: string; undo?: boolean }, words: string): void {
    menu.current?.removeAttribute("open");
    attempt.run(async () => {
      await call("dismiss_attention", { id: item.id, ...how });
      return words;
    });
  }

  if (item.dismissed || item.snoozed_until !== null) {
    return (
      <Button
        size="sm"
        variant="outline"
        disabled={attempt.busy}
        onClick={() => putAway({ undo: true }, "Back")}
      >
        Bring back
      </Button>
    );
  }
  return (
    <details
      ref={menu}
      className="relative shrink-0"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) event.currentTarget.removeAttribute("open");
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !event.currentTarget.open) return;
        event.stopPropagation();
        event.currentTarget.removeAttribute("open");
        event.currentTarget.querySelector("summary")?.focus();
      }}
    >
      <summary
        aria-label={`Put away: ${nameOfPlace(item)}`}
        title="Snooze or dismiss, for you"
        className="grid size-7 cursor-pointer list-none place-items-center rounded-md text-muted-foreground hover:bg-raised hover:text-foreground pointer-coarse:size-11 [&::-webkit-details-marker]:hidden"
      >
        <Ellipsis aria-hidden className="size-4" />
      </summary>
      <div className="absolute right-0 z-20 mt-1 flex w-48 flex-col rounded-lg border bg-background p-1 shadow-lg">
        <p className="px-2 py-1 text-xs text-muted-foreground">Snooze, for you</p>
        {snoozeTimes(new Date()).map(({ label, until }) => (
          <MenuButton key={label} onClick={() => putAway({ until: until.toISOString() }, "Snoozed")}>
            {label}
          </MenuButton>
        ))}
        <hr className="my-1" />
        <MenuButton onClick={() => putAway({}, "Dismissed")}>Dismiss</MenuButton>
      </div>
    </details>
  );
}

function MenuButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="rounded-md px-2 py-1 text-left hover:bg-raised pointer-coarse:min-h-11"
    >
      {children}
    </button>
  );
}

/** Until when an item can be put off, from now. */
function snoozeTimes(now: Date): readonly { readonly label: string; readonly until: Date }[] {
  const hour = 3_600_000;
  return [
    { label: "1 hour", until: new Date(now.getTime() + hour) },
    { label: "4 hours", until: new Date(now.getTime() + 4 * hour) },
    { label: "Tomorrow, 9:00", until: morning(now, 1) },
    { label: "Next week, 9:00", until: morning(now, 7) },
  ];
}

function morning(now: Date, days: number): Date {
  const day = new Date(now);
  day.setDate(day.getDate() + days);
  day.setHours(9, 0, 0, 0);
  return day;
}
