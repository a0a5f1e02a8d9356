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
  /** The label of the button that does it. */
  readonly submit: string;
  /** The button's label while it is done. */
  readonly submitting: string;
  readonly cancel?: string;
  /** Whether what is typed can be sent already. */
  readonly isReady?: boolean;
  readonly isDangerous?: boolean;
  /** Whether it decides about agents, which is for verified humans. */
  readonly isPower?: boolean;
  /** Does what was asked for. A failure is shown in the dialog, which stays open with what was typed. */
  readonly onSubmit: (signal: AbortSignal) => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog that asks for a few things and does one: it closes when that is done, and says why it was not. */
export function FormDialog({
  title,
  description,
  submit,
  submitting,
  cancel = "Cancel",
  isReady = true,
  isDangerous = false,
  isPower = false,
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
    const isDone = await run(async (signal) => void (await onSubmit(signal)));
    if (!isDone) return;
    onDone();
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
          <RefusalNote refusal={refusal} />
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
