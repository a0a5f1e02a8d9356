"use client";

import type { StateEntry } from "@merkle/wire";
import { FormDialog } from "@/components/form-dialog";
import { previewJson } from "./json-text";
import type { StateAddress } from "./state-details";
import { useStateChange } from "./use-state-change";

export interface DeleteStateDialogProps {
  readonly address: StateAddress;
  readonly entry: StateEntry;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Asks for confirmation before a key is deleted, and again if its value has changed in the meantime. */
export function DeleteStateDialog({ address, entry, onClose, onDeleted }: DeleteStateDialogProps) {
  const { theirs, change } = useStateChange(address);
  const current = theirs ?? entry;

  function remove(signal: AbortSignal): Promise<boolean> {
    const { sessionId: session_id, scope, key } = address;
    const input = { session_id, scope, key, expected_version: current.version };
    return change((call) => call("delete_state", input, { signal }), signal);
  }

  return (
    <FormDialog
      role="alertdialog"
      title={
        <>
          Delete <bdi className="font-mono">{address.key}</bdi>?
        </>
      }
      description={
        theirs === null
          ? "Agents watching this key are notified. The history is kept, and you can set the key again."
          : `${theirs.updatedBy} changed this value after you opened the dialog (now v${theirs.version}). Current value:`
      }
      submit={theirs === null ? "Delete" : "Delete anyway"}
      submitting="Deleting…"
      isDangerous
      onSubmit={remove}
      onDone={onDeleted}
      onClose={onClose}
    >
      <p
        dir="auto"
        className="rounded-md border bg-surface px-3 py-2 font-mono text-sm [overflow-wrap:anywhere]"
      >
        {current.deleted ? "none (already deleted)" : previewJson(current.value, 400)}
      </p>
    </FormDialog>
  );
}
