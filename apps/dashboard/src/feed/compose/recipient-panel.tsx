"use client";

import { useEffect, useId, useRef, useState } from "react";
import { Input } from "@/ui/input";
import { RecipientList } from "./recipient-list";
import { matchRecipients, type Recipient } from "./recipients";
import { toOptionId, useActiveOption } from "./use-active-option";

interface RecipientPanelProps {
  readonly recipients: readonly Recipient[];
  readonly chosen: readonly string[];
  readonly onPick: (recipient: Recipient) => void;
  readonly onClose: () => void;
  /** Called when focus leaves the panel. */
  readonly onLeave: () => void;
}

/** All possible recipients, filtered by the typed text. */
export function RecipientPanel({ recipients, chosen, onPick, onClose, onLeave }: RecipientPanelProps) {
  const [text, setText] = useState("");
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  const matches = matchRecipients(recipients, text);
  const { active, handleKey } = useActiveOption({
    count: matches.length,
    text: text,
    onPick: (index) => {
      const recipient = matches[index];
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
          aria-label="Recipients"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={matches.length > 0 ? toOptionId(listId, active) : undefined}
          autoComplete="off"
          placeholder="Team, peer or @group"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={handleKey}
          onBlur={onLeave}
        />
      </div>
      <RecipientList
        id={listId}
        label="Recipients"
        recipients={matches}
        active={active}
        chosen={chosen}
        onPick={onPick}
      />
      {matches.length === 0 && <p className="px-3 pb-2 text-sm text-muted-foreground">No matches.</p>}
    </div>
  );
}
