"use client";

import type { ComponentProps, FormEvent, ReactNode } from "react";
import { useAction } from "@/broker/use-action";
import { RefusalNote } from "@/components/refusal-note";
import { GuestNote } from "@/identity/power-gate";
import { useIsGuest } from "@/identity/use-person";
import { AlertDialogContent } from "@/ui/alert-dialog";
import { Button } from "@/ui/button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "@/ui/dialog";

interface FormDialogProps extends Pick<ComponentProps<typeof DialogContent>, "role" | "className"> {
  readonly title: ReactNode;
  readonly description: ReactNode;
  /** Label of the submit button. */
  readonly submit: string;
  /** Label of the submit button while the work runs. */
  readonly submitting: string;
  readonly cancel?: string;
  /** Additional buttons. */
  readonly actions?: ReactNode;
  /** Whether the form is complete and can be submitted. */
  readonly isReady?: boolean;
  readonly isDangerous?: boolean;
  /** Whether the form controls agents, so that only verified humans may submit it. */
  readonly isPower?: boolean;
  /** Whether a failure message mentions that the draft is saved. */
  readonly isDraftSaved?: boolean;
  /**
   * Runs on submit. The dialog closes unless this rejects or resolves with false. After a rejection, the dialog shows the reason
   * and keeps the input.
   */
  readonly onSubmit: (signal: AbortSignal) => Promise<unknown>;
  readonly onDone?: () => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** A dialog with a form. It closes after a successful submit, and otherwise shows the reason. */
export function FormDialog({
  title,
  description,
  submit,
  submitting,
  cancel = "Cancel",
  actions,
  isReady = true,
  isDangerous = false,
  isPower = false,
  isDraftSaved = false,
  onSubmit,
  onDone,
  onClose,
  children,
  ...content
}: FormDialogProps) {
  const Content = content.role === "alertdialog" ? AlertDialogContent : DialogContent;
  const { run, isPending, refusal } = useAction();
  const isRefused = useIsGuest() && isPower;

  async function send(event: FormEvent): Promise<void> {
    event.preventDefault();
    let shouldStayOpen = false;
    const isDone = await run(async (signal) => {
      shouldStayOpen = (await onSubmit(signal)) === false;
    });
    if (!isDone || shouldStayOpen) return;
    onDone?.();
    onClose();
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <Content {...content}>
        <form className="grid min-w-0 gap-4" onSubmit={(event) => void send(event)}>
          <DialogHeader>
            <DialogTitle>{title}</DialogTitle>
            <DialogDescription>{description}</DialogDescription>
          </DialogHeader>
          {children}
          {isRefused && <GuestNote />}
          <RefusalNote refusal={refusal} isDraftSaved={isDraftSaved} />
          <DialogFooter>
            {actions}
            <Button type="button" variant="outline" onClick={onClose}>
              {cancel}
            </Button>
            <Button
              type="submit"
              variant={isDangerous ? "destructive" : "default"}
              disabled={isPending || !isReady || isRefused}
            >
              {isPending ? submitting : submit}
            </Button>
          </DialogFooter>
        </form>
      </Content>
    </Dialog>
  );
}
