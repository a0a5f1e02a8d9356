"use client";

import { limits } from "@merkle/wire/limits";
import { useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { useSession } from "@/sessions/session-context";
import { Field, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { Textarea } from "@/ui/textarea";

/** Changes a session's title and description. Every team is notified, with the reason. */
export function EditDialog({ onClose }: { onClose: () => void }) {
  const { session, refresh } = useSession();
  const call = useCall();
  // The title and description when the dialog opened. A later change by someone else must not look like this person's
  // change.
  const [before] = useState({ title: session.title, description: session.description });
  const [title, setTitle] = useState(before.title);
  const [description, setDescription] = useState(before.description);
  const [reason, setReason] = useState("");
  const changes = {
    ...(title.trim() === before.title ? {} : { title: title.trim() }),
    ...(description.trim() === before.description ? {} : { description: description.trim() }),
  };
  const hasChanges = Object.keys(changes).length > 0;
  const isOutdated = session.title !== before.title || session.description !== before.description;

  return (
    <FormDialog
      title="Edit title and description"
      description="Every team sees what changed and why."
      submit="Save"
      submitting="Saving…"
      isReady={hasChanges && reason.trim() !== "" && title.trim() !== ""}
      onSubmit={(signal) =>
        call(
          "update_session_metadata",
          { session_id: session.session_id, ...changes, reason: reason.trim() },
          { signal },
        )
      }
      onDone={refresh}
      onClose={onClose}
    >
      <Field>
        <FieldLabel>Title</FieldLabel>
        <Input
          dir="auto"
          required
          maxLength={limits.titleCharsMax}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
      </Field>
      <Field>
        <FieldLabel>Description</FieldLabel>
        <Textarea
          className="max-h-60"
          maxLength={limits.descriptionCharsMax}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
      </Field>
      <Field>
        <FieldLabel>Reason</FieldLabel>
        <Input
          dir="auto"
          required
          maxLength={limits.reasonCharsMax}
          value={reason}
          placeholder="Why are you changing this?"
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
      {isOutdated && (
        <p role="status" className="text-sm text-warning">
          {session.last_change?.by ?? "Someone"} changed this session while you were editing. Its title is now
          “<bdi>{session.title}</bdi>”. Saving replaces that change.
        </p>
      )}
    </FormDialog>
  );
}
