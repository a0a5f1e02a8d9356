"use client";

import type { StateEntry } from "@merkle/wire";
import { RefusalNote } from "@/components/refusal-note";
import {
  AlertDialog,
  AlertDialogCancel,
  AlertDialogContent,
  AlertDialogDescription,
  AlertDialogFooter,
  AlertDialogTitle,
} from "@/ui/alert-dialog";
import { Button } from "@/ui/button";
import { previewJson } from "./json-text";
import type { StateAddress } from "./state-details";
import { useStateChange } from "./use-state-change";

export interface DeleteStateDialogProps {
  readonly address: StateAddress;
  readonly entry: StateEntry;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Asks for confirmation before a key is deleted, and again if its value has changed in between. */
export function DeleteStateDialog({ address, entry, onClose, onDeleted }: DeleteStateDialogProps) {
  const { theirs, pending, refusal, change } = useStateChange(address);
  const current = theirs ?? entry;

  async function remove(): Promise<void> {
    const { sessionId: session_id, scope, key } = address;
    const deleted = await change((call, signal) =>
      call("delete_state", { session_id, scope, key, expected_version: current.version }, { signal }),
    );
    if (!deleted) return;
    onDeleted();
    onClose();
  }

  return (
    <AlertDialog open onOpenChange={(open) => !open && onClose()}>
      <AlertDialogContent>
        <AlertDialogTitle>
          Delete <bdi className="font-mono">{address.key}</bdi>?
        </AlertDialogTitle>
        <AlertDialogDescription>
          {theirs === null
            ? "Agents watching this key are notified. The history is kept, and you can set the key again."
            : `${theirs.updatedBy} changed this value after you opened the dialog (now v${theirs.version}). Current value:`}
        </AlertDialogDescription>
        <p
          dir="auto"
          className="rounded-md border bg-surface px-3 py-2 font-mono text-sm [overflow-wrap:anywhere]"
        >
          {current.deleted ? "none (already deleted)" : previewJson(current.value, 400)}
        </p>
        <RefusalNote refusal={refusal} />
        <AlertDialogFooter>
          <AlertDialogCancel>Cancel</AlertDialogCancel>
          <Button variant="danger" disabled={pending} onClick={() => void remove()}>
            {theirs === null ? "Delete" : "Delete anyway"}
          </Button>
        </AlertDialogFooter>
      </AlertDialogContent>
    </AlertDialog>
  );
}
