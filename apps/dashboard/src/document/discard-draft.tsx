"use client";

import { ConfirmButton } from "@/components/confirm-button";
import { Button } from "@/ui/button";

/** A button that discards the draft after a confirmation. */
export function DiscardDraftButton({ onDiscard }: { onDiscard: () => void }) {
  return (
    <ConfirmButton
      button={<Button variant="ghost">Discard…</Button>}
      question="Discard your draft?"
      cancelLabel="Keep editing"
      confirmLabel="Discard"
      onConfirm={onDiscard}
    >
      It isn’t saved anywhere else. The document doesn’t change.
    </ConfirmButton>
  );
}
