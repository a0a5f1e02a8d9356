"use client";

import type { ComponentProps, FormEvent, ReactNode } from "react";
import { useAction } from "@/broker/use-action";
import { RefusalNote } from "@/components/refusal-note";
import { GuestNote } from "@/identity/power-gate";
import { useIsGuest } from "@/identity/use-person";
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
  /** The label of the submit button. */
  readonly submit: string;
  /** The button's label during the work. */
  readonly submitting: string;
  readonly cancel?: string;
  /** Whether the form is complete. */
  readonly isReady?: boolean;
  readonly isDangerous?: boolean;
  /** Only verified humans may submit it, since it decides about agents. */
  readonly isPower?: boolean;
  /** Whether to say after a failure that the draft is saved. */
  readonly isKept?: boolean;
  /**
   * Does the work. After a failure the dialog shows the reason and stays open with what was typed. It also stays open if this
   * resolves with false.
   */
  readonly onSubmit: (signal: AbortSignal) => Promise<unknown>;
  readonly onDone?: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog with a form. It closes once the work is done, and otherwise shows the reason. */
export function FormDialog({
  title,
  description,
  submit,
  submitting,
  cancel = "Cancel",
  isReady = true,
  isDangerous = false,
  isPower = false,
  isKept = false,
  onSubmit,
  onDone,
  onClose,
  children,
  ...content
}: FormDialogProps) {
  const { run, pending, refusal } = useAction();
  const isRefused = useIsGuest() && isPower;

  async function send(event: FormEvent): Promise<void> {
    event.preventDefault();
    let staysOpen = false;
    const isDone = await run(async (signal) => {
      staysOpen = (await onSubmit(signal)) === false;
    });
    if (!isDone || staysOpen) return;
    onDone?.();
    onClose();
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent {...content}>
        <form className="grid min-w-0 gap-4" onSubmit={(event) => void send(event)}>
          <DialogHeader>
            <DialogTitle>{title}</DialogTitle>
            <DialogDescription>{description}</DialogDescription>
          </DialogHeader>
          {children}
          {isRefused && <GuestNote />}
          <RefusalNote refusal={refusal} isKept={isKept} />
          <DialogFooter>
            <Button type="button" variant="outline" onClick={onClose}>
              {cancel}
            </Button>
            <Button
              type="submit"
              variant={isDangerous ? "danger" : "default"}
              disabled={pending || !isReady || isRefused}
            >
              {pending ? submitting : submit}
            </Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  );
}
