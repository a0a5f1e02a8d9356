"use client";

import { ChevronDown } from "lucide-react";
import { useRef, useState } from "react";
import { lazyPart } from "@/core/lazy-part";
import { Button } from "@/ui/button";
import type { Recipient } from "./recipients";

const RecipientPanel = lazyPart(() => import("./recipient-panel"), "RecipientPanel");

export interface RecipientPickerProps {
  readonly recipients: readonly Recipient[];
  readonly to: readonly string[];
  readonly onChange: (to: readonly string[]) => void;
}

/** A button that shows the message's recipients and opens a list to change them. */
export function RecipientPicker({ recipients, to, onChange }: RecipientPickerProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);

  function close(): void {
    setOpen(false);
    button.current?.focus();
  }

  function pick({ value }: Recipient): void {
    onChange(toggle(to, value));
    if (value === "*") close();
  }

  return (
    <div className="relative min-w-0">
      <Button
        ref={button}
        type="button"
        variant="outline"
        size="sm"
        aria-haspopup="listbox"
        aria-expanded={open}
        // The panel closes on blur. Without this handler, pressing the button would blur the panel and then reopen it.
        onMouseDown={(event) => open && event.preventDefault()}
        onClick={() => setOpen(!open)}
        className="max-w-60"
      >
        <span className="text-muted-foreground">To</span>
        <bdi className="truncate">{to.length === 0 ? "everyone" : to.join(", ")}</bdi>
        <ChevronDown aria-hidden />
      </Button>
      {open && (
        <RecipientPanel
          recipients={recipients}
          chosen={to}
          onPick={pick}
          onClose={close}
          onLeave={() => setOpen(false)}
        />
      )}
    </div>
  );
}

function toggle(to: readonly string[], value: string): string[] {
  if (value === "*") return [];
  return to.includes(value) ? to.filter((other) => other !== value) : [...to, value];
}
