"use client";

import {
  AlertDialog,
  AlertDialogAction,
  AlertDialogCancel,
  AlertDialogContent,
  AlertDialogDescription,
  AlertDialogFooter,
  AlertDialogTitle,
  AlertDialogTrigger,
} from "@/components/ui/alert-dialog";
import { Button } from "@/components/ui/button";

export interface ConcludeWithProps {
  readonly words: string;
  readonly disabled: boolean;
  readonly onConfirm: () => void;
}

/** Accepts a conclusion, which ends the session; so it is asked first. */
export function ConcludeWith({ words, disabled, onConfirm }: ConcludeWithProps) {
  return (
    <AlertDialog>
      <AlertDialogTrigger asChild>
        <Button disabled={disabled}>{words} and conclude…</Button>
      </AlertDialogTrigger>
      <AlertDialogContent>
        <AlertDialogTitle>Conclude the session with this?</AlertDialogTitle>
        <AlertDialogDescription>
          This is final: the session closes for everyone, and nothing can be posted after it. The conclusion
          can still be revised.
        </AlertDialogDescription>
        <AlertDialogFooter>
          <AlertDialogCancel>Not yet</AlertDialogCancel>
          <AlertDialogAction onClick={onConfirm}>Conclude for everyone</AlertDialogAction>
        </AlertDialogFooter>
      </AlertDialogContent>
    </AlertDialog>
  );
}
