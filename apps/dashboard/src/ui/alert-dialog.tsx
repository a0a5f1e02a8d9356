"use client";

import type { ComponentProps } from "react";
import { cn } from "@/core/utils";
import { buttonVariants } from "./button";
import {
  Dialog,
  DialogClose,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogTitle,
  DialogTrigger,
} from "./dialog";

const AlertDialog = Dialog;
const AlertDialogTrigger = DialogTrigger;

/** A dialog that requires an answer: a click outside does not close it. */
function AlertDialogContent({ className, ...props }: ComponentProps<typeof DialogContent>) {
  return (
    <DialogContent
      role="alertdialog"
      showCloseButton={false}
      onClick={() => undefined}
      className={cn("sm:max-w-md", className)}
      {...props}
    />
  );
}

function AlertDialogCancel({ className, ...props }: ComponentProps<typeof DialogClose>) {
  return (
    <DialogClose type="button" className={cn(buttonVariants({ variant: "outline" }), className)} {...props} />
  );
}

function AlertDialogAction({ className, ...props }: ComponentProps<typeof DialogClose>) {
  return <DialogClose type="button" className={cn(buttonVariants(), className)} {...props} />;
}

export {
  AlertDialog,
  AlertDialogAction,
  AlertDialogCancel,
  AlertDialogContent,
  AlertDialogTrigger,
  DialogDescription as AlertDialogDescription,
  DialogFooter as AlertDialogFooter,
  DialogTitle as AlertDialogTitle,
};
