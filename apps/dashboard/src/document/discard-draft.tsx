"use client";

import { ConfirmButton } from "@/components/confirm-button";
import { Button } from "@/ui/button";

/** Throws away what was written, once it is said twice. */
export function DiscardDraft({ onDiscard }: { onDiscard: () => void }) {
  return (
    <ConfirmButton
      button={<Button variant="ghost">Discard…</Button>}
      question="Discard what you wrote?"
      no="Go on writing"
      yes="Discard"
      onConfirm={onDiscard}
    >
      It was not saved and nobody else has it. The document stays as it is.
    </ConfirmButton>
  );
}
