"use client";

import type { ReactNode } from "react";
import {
  AlertDialog,
  AlertDialogAction,
  AlertDialogCancel,
  AlertDialogContent,
  AlertDialogDescription,
  AlertDialogFooter,
  AlertDialogTitle,
  AlertDialogTrigger,
} from "@/ui/alert-dialog";

export interface ConfirmButtonProps {
  /** The button that opens the dialog. */
  readonly button: ReactNode;
  readonly question: string;
  /** The action's consequence, shown in the dialog. */
  readonly children: ReactNode;
  /** Label of the button that cancels. Default: Cancel. */
  readonly cancelLabel?: string;
  readonly confirmLabel: string;
  readonly onConfirm: () => void;
}

/** A button that asks for confirmation before an irreversible action. */
export function ConfirmButton({
  button,
  question,
  children,
  cancelLabel = "Cancel",
  confirmLabel,
  onConfirm,
}: ConfirmButtonProps) {
  return (
    <AlertDialog>
      <AlertDialogTrigger asChild>{button}</AlertDialogTrigger>
      <AlertDialogContent>
        <AlertDialogTitle>{question}</AlertDialogTitle>
        <AlertDialogDescription>{children}</AlertDialogDescription>
        <AlertDialogFooter>
          <AlertDialogCancel>{cancelLabel}</AlertDialogCancel>
          <AlertDialogAction onClick={onConfirm}>{confirmLabel}</AlertDialogAction>
        </AlertDialogFooter>
      </AlertDialogContent>
    </AlertDialog>
  );
}
