"use client";

import { type KeyboardEvent, useId, useRef } from "react";
import { cn } from "@/core/utils";
import { Textarea } from "@/ui/textarea";

export interface MarkdownFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Ctrl+Enter, or Command+Enter. */
  readonly onSave: () => void;
  readonly autoFocus?: boolean;
  readonly className?: string | undefined;
}

/**
 * Where markdown is written. Tab indents; after Escape the next Tab leaves the field, so that nobody who has only the keyboard
 * is kept in it.
 */
export function MarkdownField({ label, value, onChange, onSave, autoFocus, className }: MarkdownFieldProps) {
  const hintId = useId();
  const tabLeaves = useRef(false);

  function handleKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === "Escape") {
      // The field has the key to itself: what closes with it around the field stays open.
      event.stopPropagation();
      tabLeaves.current = true;
    } else if (event.key === "Tab" && !tabLeaves.current && !event.shiftKey && !hasModifier(event)) {
      event.preventDefault();
      insertText(event.currentTarget, "  ");
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onSave();
    } else if (event.key !== "Tab" && event.key !== "Shift") tabLeaves.current = false;
  }

  return (
    <>
      <Textarea
        autoFocus={autoFocus}
        aria-label={label}
        aria-describedby={hintId}
        spellCheck
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={handleKey}
        onFocus={() => {
          tabLeaves.current = false;
        }}
        className={cn("font-mono text-sm leading-5 [tab-size:2]", className)}
      />
      <p id={hintId} className="sr-only">
        Tab indents. Press Escape, then Tab, to leave the field. Ctrl+Enter saves.
      </p>
    </>
  );
}

function hasModifier(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey;
}

/** Typed in rather than set, so that undo takes it back. Old as it is, nothing else does this. */
function insertText(field: HTMLTextAreaElement, text: string): void {
  field.ownerDocument.execCommand("insertText", false, text);
}
