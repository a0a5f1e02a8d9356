"use client";

import { type KeyboardEvent, useId, useRef } from "react";
import { cn } from "@/core/utils";
import { Textarea } from "@/ui/textarea";

export interface MarkdownFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Called on Ctrl+Enter or Command+Enter. */
  readonly onSave: () => void;
  readonly autoFocus?: boolean;
  readonly className?: string | undefined;
}

/**
 * A text field for markdown. Tab indents. After Escape, the next Tab leaves the field, so keyboard users are not trapped in it.
 */
export function MarkdownField({ label, value, onChange, onSave, autoFocus, className }: MarkdownFieldProps) {
  const hintId = useId();
  const shouldTabLeave = useRef(false);

  function handleKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === "Escape") {
      // Only the field handles this Escape: a dialog or panel around it stays open.
      event.stopPropagation();
      shouldTabLeave.current = true;
    } else if (event.key === "Tab" && !shouldTabLeave.current && !event.shiftKey && !hasModifier(event)) {
      event.preventDefault();
      insertText(event.currentTarget, "  ");
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onSave();
    } else if (event.key !== "Tab" && event.key !== "Shift") shouldTabLeave.current = false;
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
          shouldTabLeave.current = false;
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

/**
 * Inserts text as if it had been typed, so that undo works. The deprecated `execCommand` is the only API that does
 * this.
 */
function insertText(field: HTMLTextAreaElement, text: string): void {
  field.ownerDocument.execCommand("insertText", false, text);
}
