"use client";

import { type ReactNode, useState } from "react";
import { FormDialog } from "@/components/form-dialog";
import { Button } from "@/ui/button";

export interface EndButtonProps {
  /** The button's name for those who do not see in which row it stands. */
  readonly label: string;
  readonly title: ReactNode;
  readonly consequence: ReactNode;
  readonly onEnd: (signal: AbortSignal) => Promise<unknown>;
  readonly onDone: () => void;
  readonly children?: ReactNode;
}

/** Ends what lets somebody in, after having asked. */
export function EndButton({ label, title, consequence, onEnd, onDone, children }: EndButtonProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button variant="outline" size="sm" aria-label={label} onClick={() => setAsking(true)}>
        Revoke…
      </Button>
      {isAsking && (
        <FormDialog
          role="alertdialog"
          title={title}
          description={consequence}
          submit="Revoke"
          submitting="Revoking…"
          isDangerous
          onSubmit={onEnd}
          onDone={onDone}
          onClose={() => setAsking(false)}
        >
          {children}
        </FormDialog>
      )}
    </>
  );
}
