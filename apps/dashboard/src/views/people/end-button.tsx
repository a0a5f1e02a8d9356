"use client";

import { type ReactNode, useState } from "react";
import { FormDialog } from "@/components/form-dialog";
import { Button } from "@/ui/button";

export interface EndButtonProps {
  /** What it is called to end this: "Revoke" unless told. */
  readonly word?: string;
  /** What the button of the row says to those who do not see where it stands. */
  readonly label: string;
  readonly title: ReactNode;
  readonly consequence: ReactNode;
  readonly onEnd: (signal: AbortSignal) => Promise<unknown>;
  readonly onDone: () => void;
  readonly children?: ReactNode;
}

/** Ends what lets somebody in, after having asked. */
export function EndButton({
  word = "Revoke",
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
        {word}…
      </Button>
      {isAsking && (
        <FormDialog
          role="alertdialog"
          title={title}
          description={consequence}
          submit={word}
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
