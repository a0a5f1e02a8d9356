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
  /** The button that asks. */
  readonly button: ReactNode;
  readonly question: string;
  /** The consequence, as the dialog tells it. */
  readonly children: ReactNode;
  /** Default: Cancel. */
  readonly no?: string;
  readonly yes: string;
  readonly onConfirm: () => void;
}

/** Does what cannot be undone once it is said twice. */
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
