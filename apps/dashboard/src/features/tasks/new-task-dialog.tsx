"use client";

import { useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { useIsGuest } from "@/identity/use-person";
import { useSession } from "@/sessions/session-context";
import { Field, FieldDescription, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { Textarea } from "@/ui/textarea";

export interface NewTaskDialogProps {
  readonly onClose: () => void;
}

/** Adds a task to the session. */
export function NewTaskDialog({ onClose }: NewTaskDialogProps) {
  const { session } = useSession();
  const call = useCall();
  const isGuest = useIsGuest();
  const [title, setTitle] = useState("");
  const [text, setText] = useState("");
  const [assignee, setAssignee] = useState("");
  const [blockersText, setBlockersText] = useState("");
  const [filesText, setFilesText] = useState("");
  const [command, setCommand] = useState("");
  const files = filesText.split(",").flatMap((each) => each.trim() || []);
  const blockers = blockersText.split(/[\s,]+/).filter((each) => each !== "");
  const isReady = title.trim() !== "" && blockers.every((each) => /^[1-9]\d{0,8}$/.test(each));
  return (
    <FormDialog
      className="sm:max-w-xl"
      title="New task"
      description="Agents pick up tasks that are ready. The assignee is notified."
      submit="Add task"
      submitting="Adding…"
      isReady={isReady}
      onSubmit={(signal) =>
        call(
          "create_task",
          {
            session_id: session.session_id,
            title,
            text,
            blocked_by: blockers.map(Number),
            ...(assignee.trim() === "" ? {} : { assignee }),
            ...(files.length === 0 ? {} : { files }),
            ...(command.trim() === "" ? {} : { check: { command } }),
          },
          { signal },
        )
      }
      onDone={() => undefined}
      onClose={onClose}
    >
      <Field>
        <FieldLabel>Title</FieldLabel>
        <Input
          required
          dir="auto"
          maxLength={200}
          value={title}
          onChange={({ target }) => setTitle(target.value)}
        />
      </Field>
      <Field>
        <FieldLabel>Description</FieldLabel>
        <Textarea
          className="max-h-[30dvh] min-h-20"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </Field>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Field>
          <FieldLabel>Assignee</FieldLabel>
          <Input dir="auto" value={assignee} onChange={({ target }) => setAssignee(target.value)} />
          <FieldDescription>A team or a peer. Leave empty for anyone.</FieldDescription>
        </Field>
        <Field>
          <FieldLabel>Blocked by</FieldLabel>
          <Input
            inputMode="numeric"
            value={blockersText}
            onChange={({ target }) => setBlockersText(target.value)}
          />
          <FieldDescription>Numbers of tasks that must be done first.</FieldDescription>
        </Field>
      </div>
      <Field>
        <FieldLabel>Files</FieldLabel>
        <Input
          className="font-mono"
          value={filesText}
          onChange={({ target }) => setFilesText(target.value)}
        />
        <FieldDescription>
          Paths or patterns, such as src/auth/**, separated by commas. Claiming the task claims these files.
        </FieldDescription>
      </Field>
      {!isGuest && (
        <Field>
          <FieldLabel>Done when (command)</FieldLabel>
          <Input
            className="font-mono"
            maxLength={500}
            value={command}
            onChange={({ target }) => setCommand(target.value)}
          />
          <FieldDescription>
            The assignee runs this command; exit code 0 proves that the task is done.
          </FieldDescription>
        </Field>
      )}
    </FormDialog>
  );
}
