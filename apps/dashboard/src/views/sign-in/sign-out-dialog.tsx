"use client";

import { useId, useState } from "react";
import { announceSignIn } from "@/broker/sign-in-channel";
import { useAdmitted } from "@/broker/use-admitted";
import { FormDialog } from "@/components/form-dialog";
import { callHttp } from "@/identity/call-http";
import { clearBrowserMember, findBrowserMember } from "@/identity/member-key";
import { clearPageToken, findPageToken, storePageToken, toHeaders } from "@/identity/page-token";
import { clearPerson } from "@/identity/person";
import { Checkbox } from "@/ui/checkbox";

/** Asks for confirmation before signing out, and whether to delete the key stored in this browser. */
export function SignOutDialog({ onClose }: { readonly onClose: () => void }) {
  const isObserver = useAdmitted()?.as.kind === "observer";
  const [member] = useState(findBrowserMember);
  const id = useId();
  const [withKey, setWithKey] = useState(false);
  return (
    <FormDialog
      role="alertdialog"
      title={isObserver ? "Leave this session?" : "Sign out of this browser?"}
      description={
        isObserver
          ? "You can come back while the link is valid."
          : "All its tabs are signed out. Your agents and other browsers stay connected."
      }
      submit={isObserver ? "Leave" : "Sign out"}
      submitting="Signing out…"
      onSubmit={() => signOut({ withKey })}
      onDone={() => undefined}
      onClose={onClose}
    >
      {member !== null && !isObserver && (
        <div className="grid grid-cols-[auto_1fr] items-start gap-x-2">
          <Checkbox
            id={id}
            checked={withKey}
            className="mt-0.5"
            onChange={(event) => setWithKey(event.target.checked)}
          />
          <label htmlFor={id}>
            Also forget the key of <bdi className="font-medium">{member.name}</bdi>
            <span className="block text-sm text-muted-foreground">
              {withKey
                ? "To sign in again, you need one of your sign-in links or a new invite."
                : "If you keep the key, anyone using this browser can sign in again with one click."}
            </span>
          </label>
        </div>
      )}
    </FormDialog>
  );
}

/**
 * Signs the browser out and reloads the page, so that no data remains in memory. The person's credential is deleted as well. A
 * member who signs in again gets a new credential for the same person.
 */
async function signOut({ withKey }: { readonly withKey: boolean }): Promise<void> {
  const token = await findPageToken();
  // The token must be deleted before the broker closes the connections. Otherwise a tab that reconnects with it would log an
  // error in its console.
  await clearPageToken();
  try {
    await callHttp("POST", "/api/sign-out", {}, toHeaders(token));
  } catch (error) {
    if (token !== undefined) await storePageToken(token);
    throw error;
  }
  clearPerson();
  if (withKey) clearBrowserMember();
  announceSignIn();
  location.assign("/");
}
