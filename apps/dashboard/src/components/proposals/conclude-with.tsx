"use client";

import { ConfirmButton } from "@/components/confirm-button";
import { Button } from "@/components/ui/button";

export interface ConcludeWithProps {
  readonly words: string;
  readonly disabled: boolean;
  readonly onConfirm: () => void;
}

/** Accepts a conclusion, which ends the session; so it is asked first. */
export function ConcludeWith({ words, disabled, onConfirm }: ConcludeWithProps) {
  return (
    <ConfirmButton
      button={<Button disabled={disabled}>{words} and conclude…</Button>}
      question="Conclude the session with this?"
      no="Not yet"
      yes="Conclude for everyone"
      onConfirm={onConfirm}
    >
      This is final: the session closes for everyone, and nothing can be posted after it. The conclusion can
      still be revised.
    </ConfirmButton>
  );
}
