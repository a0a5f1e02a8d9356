"use client";

import { type ReactNode, useState } from "react";
import { FormDialog } from "@/components/form-dialog";
import { Button } from "@/ui/button";

export interface EndButtonProps {
  /** The button's verb. Default: "Revoke". */
  readonly submitLabel?: string;
  /** The button's label for screen readers, which includes the name of the row. */
  readonly label: string;
  readonly title: ReactNode;
  readonly consequence: ReactNode;
  readonly onEnd: (signal: AbortSignal) => Promise<unknown>;
  readonly onDone: () => void;
  readonly children?: ReactNode;
}

/** A button that revokes an invite, token or member after a confirmation. */
export function EndButton({
  submitLabel = "Revoke",
  label,
  title,
  consequence,
  onEnd,
  onDone,
  children,
}: EndButtonProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button variant="outline" size="sm" aria-label={label} onClick={() => setAsking(true)}>
        {submitLabel}…
      </Button>
      {isAsking && (
        <FormDialog
          role="alertdialog"
          title={title}
          description={consequence}
          submit={submitLabel}
          submitting="One moment…"
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
