"use client";

import { forgetPerson } from "@/identity/person";
import {
  AlertDialog,
  AlertDialogCancel,
  AlertDialogContent,
  AlertDialogDescription,
  AlertDialogFooter,
  AlertDialogTitle,
} from "@/ui/alert-dialog";
import { Button } from "@/ui/button";

/** Asks before the key of a person is taken out of this browser: there may be no other copy. */
export function ForgetMeDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  return (
    <AlertDialog open onOpenChange={(open) => !open && onClose()}>
      <AlertDialogContent>
        <AlertDialogTitle>
          Forget <bdi>{name}</bdi> in this browser?
        </AlertDialogTitle>
        <AlertDialogDescription>
          What you wrote stays. Without a copy of your key nobody can write under this name again, you
          neither.
        </AlertDialogDescription>
        <AlertDialogFooter>
          <AlertDialogCancel>Stay</AlertDialogCancel>
          <Button
            variant="danger"
            onClick={() => {
              forgetPerson();
              onClose();
            }}
          >
            Sign out of this browser
          </Button>
        </AlertDialogFooter>
      </AlertDialogContent>
    </AlertDialog>
  );
}
