"use client";

import { type ReactNode, useState } from "react";
import { FormDialog } from "@/components/form-dialog";
import { Button } from "@/ui/button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "@/ui/dialog";

interface MakeDialogProps<Made> {
  readonly title: string;
  readonly description: ReactNode;
  /** Label of the submit button. */
  readonly submit: string;
  readonly isReady?: boolean;
  readonly onMake: (signal: AbortSignal) => Promise<Made>;
  /** Called after the secret was created, to refresh lists. */
  readonly onMade: () => void;
  readonly onClose: () => void;
  /** The fields of the form. */
  readonly children?: ReactNode;
  /** Returns the title and body of the dialog that shows the secret once. */
  readonly toResult: (made: Made) => { readonly title: string; readonly body: ReactNode };
}

/** A dialog that creates a secret and then shows it once, because the broker keeps no copy. */
export function CreateDialog<Made>({
  onMake,
  onMade,
  toResult,
  onClose,
  children = null,
  ...form
}: MakeDialogProps<Made>) {
  const [result, setResult] = useState<{ readonly value: Made } | null>(null);

  async function make(signal: AbortSignal): Promise<false> {
    setResult({ value: await onMake(signal) });
    onMade();
    return false;
  }

  if (result !== null) return <MadeOnce {...toResult(result.value)} onClose={onClose} />;
  return (
    <FormDialog {...form} submitting="One moment…" onSubmit={make} onClose={onClose}>
      {children}
    </FormDialog>
  );
}

interface MadeOnceProps {
  readonly title: string;
  readonly body: ReactNode;
  readonly onClose: () => void;
}

/** Closes only with its button, because a click outside would lose the secret. */
function MadeOnce({ title, body, onClose }: MadeOnceProps) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent onClick={() => undefined} showCloseButton={false}>
        <DialogHeader>
          <DialogTitle>{title}</DialogTitle>
          <DialogDescription>Shown only once: the broker keeps no copy.</DialogDescription>
        </DialogHeader>
        {body}
        <DialogFooter>
          <Button onClick={onClose}>Done</Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  );
}
