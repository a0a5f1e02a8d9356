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
  /** Who gets the message if `to` is empty. */
  readonly defaultTo: string;
  readonly onChange: (to: readonly string[]) => void;
}

/** A button that shows the message's recipients and opens a list to change them. */
export function RecipientPicker({ recipients, to, defaultTo, onChange }: RecipientPickerProps) {
  const chosen = to.length === 0 ? [defaultTo] : to;
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);

  function close(): void {
    setOpen(false);
    button.current?.focus();
  }

  function pick({ value }: Recipient): void {
    onChange(value === "*" ? selectEveryone(defaultTo) : toggle(to, value));
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
        <bdi className="truncate">{chosen.map(formatRecipient).join(", ")}</bdi>
        <ChevronDown aria-hidden />
      </Button>
      {open && (
        <RecipientPanel
          recipients={recipients}
          chosen={chosen}
          onPick={pick}
          onClose={close}
          onLeave={() => setOpen(false)}
        />
      )}
    </div>
  );
}

function formatRecipient(value: string): string {
  return value === "*" ? "everyone" : value;
}

function selectEveryone(defaultTo: string): string[] {
  return defaultTo === "*" ? [] : ["*"];
}

function toggle(to: readonly string[], value: string): string[] {
  const named = to.filter((other) => other !== "*");
  return named.includes(value) ? named.filter((other) => other !== value) : [...named, value];
}
