"use client";

import { type AttentionItem, describeItemSource } from "@merkle/wire";
import { AlarmClock, CalendarDays, Check, Clock, type LucideIcon, Sunrise } from "lucide-react";
import { type RefObject, useRef } from "react";
import { MenuItem } from "@/components/menu-item";
import { Button } from "@/ui/button";
import { type HideItemActions, isHidden } from "./use-put-away";

export interface PutAwayProps {
  readonly item: AttentionItem;
  readonly hideActions: HideItemActions;
  /** A reference to the snooze menu, so that a shortcut can open the menu. */
  readonly menu?: RefObject<HTMLDetailsElement | null>;
}

/** Buttons to snooze an item or mark it done for this person. Others still see the item. */
export function PutAway({ item, hideActions, menu }: PutAwayProps) {
  if (isHidden(item)) {
    return (
      <Button size="sm" variant="outline" onClick={() => hideActions.restore([item])}>
        Restore
      </Button>
    );
  }
  return (
    <span className="flex shrink-0">
      <Snooze item={item} hideActions={hideActions} {...(menu && { menu })} />
      <Button
        variant="ghost"
        size="icon"
        className="size-7"
        aria-label={`Done: ${describeItemSource(item)}`}
        title="Mark done, for you only  E"
        onClick={() => hideActions.hide([item])}
      >
        <Check aria-hidden />
      </Button>
    </span>
  );
}

function Snooze({ item, hideActions, menu }: PutAwayProps) {
  const ownMenu = useRef<HTMLDetailsElement>(null);
  const details = menu ?? ownMenu;
  return (
    <details
      ref={details}
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
        aria-label={`Snooze: ${describeItemSource(item)}`}
        title="Snooze for you  H"
        className="grid size-7 cursor-pointer list-none place-items-center rounded-md hover:bg-raised pointer-coarse:size-11 [&::-webkit-details-marker]:hidden"
      >
        <AlarmClock aria-hidden className="size-4" />
      </summary>
      <div className="absolute right-0 z-20 mt-1 flex w-48 flex-col rounded-lg border bg-background p-1 shadow-lg">
        {listSnoozeTimes(new Date()).map(({ label, icon, until }) => (
          <MenuItem
            key={label}
            icon={icon}
            onClick={() => {
              details.current?.removeAttribute("open");
              hideActions.hide([item], until);
            }}
          >
            {label}
          </MenuItem>
        ))}
      </div>
    </details>
  );
}

/** Returns the times until which an item can be snoozed. */
function listSnoozeTimes(
  now: Date,
): readonly { readonly label: string; readonly icon: LucideIcon; readonly until: Date }[] {
  const hour = 3_600_000;
  return [
    { label: "1 hour", icon: Clock, until: new Date(now.getTime() + hour) },
    { label: "4 hours", icon: Clock, until: new Date(now.getTime() + 4 * hour) },
    { label: "Tomorrow, 9:00", icon: Sunrise, until: findMorning(now, 1) },
    { label: "Next week, 9:00", icon: CalendarDays, until: findMorning(now, 7) },
  ];
}

function findMorning(now: Date, days: number): Date {
  const day = new Date(now);
  day.setDate(day.getDate() + days);
  day.setHours(9, 0, 0, 0);
  return day;
}
