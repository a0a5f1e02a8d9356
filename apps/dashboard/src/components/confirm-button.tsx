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
  /** The button that opens the question. */
  readonly button: ReactNode;
  readonly question: string;
  /** The consequence, shown in the dialog. */
  readonly children: ReactNode;
  /** Default: Cancel. */
  readonly no?: string;
  readonly yes: string;
  readonly onConfirm: () => void;
}

/** A button whose action cannot be undone: a dialog asks first. */
export function ConfirmButton({
  button,
  question,
  children,
  no = "Cancel",
  yes,
  onConfirm,
}: ConfirmButtonProps) {
  return (
    <AlertDialog>
      <AlertDialogTrigger asChild>{button}</AlertDialogTrigger>
      <AlertDialogContent>
        <AlertDialogTitle>{question}</AlertDialogTitle>
        <AlertDialogDescription>{children}</AlertDialogDescription>
        <AlertDialogFooter>
          <AlertDialogCancel>{no}</AlertDialogCancel>
          <AlertDialogAction onClick={onConfirm}>{yes}</AlertDialogAction>
        </AlertDialogFooter>
      </AlertDialogContent>
    </AlertDialog>
  );
}
