"use client";

import { ChevronDown } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { optionId, RecipientList } from "./recipient-list";
import { matchRecipients, type Recipient } from "./recipients";
import { useActiveOption } from "./use-active-option";

export interface RecipientPickerProps {
  readonly recipients: readonly Recipient[];
  readonly to: readonly string[];
  readonly onChange: (to: readonly string[]) => void;
}

/** The recipients of the message; opens a list to choose one or several from. */
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
        // The list closes when it loses the focus, and this press means to close it, not to open it again.
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
          onLeft={() => setOpen(false)}
        />
      )}
    </div>
  );
}

function toggle(to: readonly string[], value: string): string[] {
  if (value === "*") return [];
  return to.includes(value) ? to.filter((other) => other !== value) : [...to, value];
}

interface RecipientPanelProps {
  readonly recipients: readonly Recipient[];
  readonly chosen: readonly string[];
  readonly onPick: (recipient: Recipient) => void;
  readonly onClose: () => void;
  /** The focus went elsewhere by itself. */
  readonly onLeft: () => void;
}

function RecipientPanel({ recipients, chosen, onPick, onClose, onLeft }: RecipientPanelProps) {
  const [typed, setTyped] = useState("");
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  const found = matchRecipients(recipients, typed);
  const { active, handleKey } = useActiveOption({
    count: found.length,
    text: typed,
    onPick: (index) => {
      const recipient = found[index];
      if (recipient) onPick(recipient);
    },
    onClose,
  });
  useEffect(() => field.current?.focus(), []);

  return (
    <div className="absolute bottom-full left-0 z-30 mb-1 w-80 max-w-[calc(100vw-2rem)] rounded-lg border bg-background shadow-lg">
      <div className="p-1 pb-0">
        <Input
          ref={field}
          role="combobox"
          aria-label="Whom it is for"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={found.length > 0 ? optionId(listId, active) : undefined}
          autoComplete="off"
          placeholder="Team, peer or @group"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={handleKey}
          onBlur={onLeft}
        />
      </div>
      <RecipientList
        id={listId}
        label="Recipients"
        recipients={found}
        active={active}
        chosen={chosen}
        onPick={onPick}
      />
      {found.length === 0 && (
        <p className="px-3 pb-2 text-sm text-muted-foreground">Nobody by that name is here.</p>
      )}
    </div>
  );
}
