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

/** Asks for confirmation before a person's key is removed from this browser, because there may be no other copy. */
export function ForgetMeDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  return (
    <AlertDialog open onOpenChange={(open) => !open && onClose()}>
      <AlertDialogContent>
        <AlertDialogTitle>
          Sign <bdi>{name}</bdi> out of this browser?
        </AlertDialogTitle>
        <AlertDialogDescription>
          Your messages stay. Without a copy of your key, no one can post under this name again, not even you.
        </AlertDialogDescription>
        <AlertDialogFooter>
          <AlertDialogCancel>Cancel</AlertDialogCancel>
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
