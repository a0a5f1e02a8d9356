"use client";

import { useState } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { RefusalNote } from "@/components/refusal-note";
import { setQuery } from "@/core/address/address";
import { useSession } from "@/sessions/session-context";
import {
  AlertDialog,
  AlertDialogCancel,
  AlertDialogContent,
  AlertDialogDescription,
  AlertDialogFooter,
  AlertDialogTitle,
  AlertDialogTrigger,
} from "@/ui/alert-dialog";
import { Button } from "@/ui/button";

export interface RestoreVersionProps {
  readonly version: number;
  readonly content: string;
  readonly newest: number;
}

/** Saves an older version as the newest. The current version stays in the history. */
export function RestoreVersion({ version, content, newest }: RestoreVersionProps) {
  const { session } = useSession();
  const call = useCall();
  const [isOpen, setOpen] = useState(false);
  const save = useAction();

  function restore(): void {
    void save.run(async () => {
      await call("update_session_doc", {
        session_id: session.session_id,
        content,
        // The user has seen this version. If someone else has saved since then, the broker returns a conflict and the
        // user can decide again.
        expected_version: newest,
      });
      setOpen(false);
      setQuery({ v: null, at: null, compare: null, doc: null });
    });
  }

  return (
    <AlertDialog open={isOpen} onOpenChange={setOpen}>
      <AlertDialogTrigger asChild>
        <Button variant="outline" size="sm">
          Restore…
        </Button>
      </AlertDialogTrigger>
      <AlertDialogContent>
        <AlertDialogTitle>Restore version {version}?</AlertDialogTitle>
        <AlertDialogDescription>
          This saves the text of version {version} as version {newest + 1}. Later versions stay in the
          history, and everyone is notified.
        </AlertDialogDescription>
        <RefusalNote refusal={save.refusal} />
        <AlertDialogFooter>
          <AlertDialogCancel>Cancel</AlertDialogCancel>
          <Button disabled={save.isPending} onClick={restore}>
            {save.isPending ? "Restoring…" : `Restore version ${version}`}
          </Button>
        </AlertDialogFooter>
      </AlertDialogContent>
    </AlertDialog>
  );
}
