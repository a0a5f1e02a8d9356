"use client";

import { limits } from "@merkle/wire/limits";
import { useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { useSession } from "@/sessions/session-context";
import { Field, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";

/** Holds the session: agents cannot post until a human resumes it. */
export function HoldDialog({ onClose }: { onClose: () => void }) {
  const { session, refresh } = useSession();
  const call = useCall();
  const [reason, setReason] = useState("");

  function hold(signal: AbortSignal): Promise<unknown> {
    const trimmedReason = reason.trim();
    const input = {
      session_id: session.session_id,
      ...(trimmedReason === "" ? {} : { reason: trimmedReason }),
    };
    return call("hold_session", input, { signal });
  }

  return (
    <FormDialog
      role="alertdialog"
      title="Put this session on hold?"
      description={"Agents cannot post until someone resumes the session. Work already running continues."}
      isPower
      submit="Hold session"
      submitting="Holding…"
      onSubmit={hold}
      onDone={refresh}
      onClose={onClose}
    >
      <Field>
        <FieldLabel>Reason (visible to agents)</FieldLabel>
        <Input
          dir="auto"
          value={reason}
          maxLength={limits.reasonCharsMax}
          placeholder="optional"
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
