"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "@/components/ui/dialog";
import { Field, FieldLabel } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { useCall } from "@/lib/broker/use-call";
import { RefusalNote } from "./refusal-note";
import { useSession } from "./session-context";
import { useAction } from "./use-action";

const reasonCharsMax = 500;

/** Stops agents from posting until a human resumes. */
export function HoldDialog({ onClose }: { onClose: () => void }) {
  const { session, refresh } = useSession();
  const call = useCall();
  const { run, pending, refusal } = useAction();
  const [reason, setReason] = useState("");

  async function hold(): Promise<void> {
    const why = reason.trim();
    const done = await run(async (signal) => {
      await call(
        "hold_session",
        { session_id: session.session_id, ...(why === "" ? {} : { reason: why }) },
        { signal },
      );
    });
    if (!done) return;
    refresh();
    onClose();
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent role="alertdialog">
        <DialogHeader>
          <DialogTitle>Hold this session?</DialogTitle>
          <DialogDescription>
            Peers get <code className="font-mono text-sm">session_held</code> when they post. Work already
            running on their machines goes on.
          </DialogDescription>
        </DialogHeader>
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            void hold();
          }}
        >
          <Field>
            <FieldLabel>Why (they are told)</FieldLabel>
            <Input
              value={reason}
              maxLength={reasonCharsMax}
              placeholder="optional"
              onChange={(event) => setReason(event.target.value)}
            />
          </Field>
          <RefusalNote refusal={refusal} />
          <DialogFooter>
            <Button type="button" variant="outline" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={pending}>
              {pending ? "Holding…" : "Hold"}
            </Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  );
}
