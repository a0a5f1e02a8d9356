"use client";

import { useState } from "react";
import type { ShownText } from "@/parts/feature";
import { type SourceQuote, toQuote } from "@/text/anchors/quote";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { Textarea } from "@/ui/textarea";
import { NewTopicForm } from "./new-topic-form";

export interface PassagePickerProps {
  readonly text: ShownText;
  readonly onClose: () => void;
}

/**
 * Lets the user select a passage in the source text, with the keyboard as in any text field. A read-only page does not offer
 * this.
 */
export function PassagePicker({ text, onClose }: PassagePickerProps) {
  // Keeps the text that the selection refers to, even if newer text arrives.
  const [{ revision, content }] = useState(text);
  const [quote, setQuote] = useState<SourceQuote | null>(null);
  const [isWriting, setWriting] = useState(false);
  if (isWriting && quote) {
    return (
      <NewTopicForm revision={revision} quote={quote} onDone={onClose} onCancel={() => setWriting(false)} />
    );
  }
  return (
    <form
      aria-label="Choose a passage"
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (quote) setWriting(true);
      }}
    >
      <Field className="grid gap-1">
        <span className="text-sm font-medium">Select a passage with Shift and the arrow keys</span>
        <Textarea
          autoFocus
          aria-readonly
          inputMode="none"
          value={content}
          // In a `readonly` field, browsers do not let the arrow keys select text. So input is prevented instead.
          onBeforeInput={(event) => event.preventDefault()}
          onChange={() => undefined}
          className="field-sizing-fixed h-48 font-mono text-sm"
          onSelect={({ currentTarget: { value, selectionStart, selectionEnd } }) =>
            setQuote(toQuote(value, { start: selectionStart, end: selectionEnd }))
          }
        />
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" disabled={quote === null}>
          Comment on this
        </Button>
        <Button type="button" variant="ghost" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
