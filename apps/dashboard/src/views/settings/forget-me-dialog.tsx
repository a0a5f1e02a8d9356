"use client";

import { FormDialog } from "@/components/form-dialog";
import { clearPerson } from "@/identity/person";

/** Asks for confirmation before a person's key is removed from this browser, because there may be no other copy. */
export function ForgetMeDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  return (
    <FormDialog
      role="alertdialog"
      title={
        <>
          Sign <bdi>{name}</bdi> out of this browser?
        </>
      }
      description="Your messages stay. Without a copy of your key, no one can post under this name again, not even you."
      submit="Sign out of this browser"
      submitting="Signing out…"
      isDangerous
      onSubmit={async () => clearPerson()}
      onClose={onClose}
    />
  );
}
