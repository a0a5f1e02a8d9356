"use client";

import { limits } from "@merkle/wire/limits";
import { useRef, useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { Field, FieldDescription, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { Textarea } from "@/ui/textarea";
import { toProgressTags } from "./progress-choice";

export interface LogProgressDialogProps {
  /** The session in which the work was done. */
  readonly session: string | null;
  /** The project that is filled in initially. */
  readonly project: string | null;
  readonly onClose: () => void;
  readonly onDone: (id: string) => void;
}

/** Logs finished work for people who work on the project later. */
export function LogProgressDialog({ session, project, onClose, onDone }: LogProgressDialogProps) {
  const call = useCall();
  const [projectId, setProjectId] = useState(project ?? "");
  const [title, setTitle] = useState("");
  const [content, setContent] = useState("");
  const [tags, setTags] = useState("");
  const loggedId = useRef("");

  return (
    <FormDialog
      className="sm:max-w-xl"
      title="Log progress"
      description="What was done and how, for anyone who works on the project next. You can’t change it later."
      submit="Log progress"
      submitting="Logging…"
      isReady={[projectId, title, content].every((text) => text.trim() !== "")}
      onSubmit={async (signal) => {
        const entry = { projectId, title, content, tags: [...toProgressTags(tags)] };
        const input = session === null ? entry : { ...entry, session };
        loggedId.current = (await call("log_progress", input, { signal })).id;
      }}
      onDone={() => onDone(loggedId.current)}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field>
          <FieldLabel>Project</FieldLabel>
          <Input
            required
            dir="auto"
            maxLength={limits.projectIdCharsMax}
            placeholder="mobile-app"
            value={projectId}
            onChange={(event) => setProjectId(event.target.value)}
          />
        </Field>
        <Field>
          <FieldLabel>Tags</FieldLabel>
          <Input
            dir="auto"
            placeholder="auth, tokens"
            value={tags}
            onChange={(event) => setTags(event.target.value)}
          />
        </Field>
      </div>
      <Field>
        <FieldLabel>Title</FieldLabel>
        <Input
          required
          dir="auto"
          maxLength={limits.progressTitleCharsMax}
          placeholder="Moved the issuer tables"
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
      </Field>
      <Field>
        <FieldLabel>Details</FieldLabel>
        <Textarea
          required
          maxLength={limits.progressContentCharsMax}
          className="max-h-[50dvh] min-h-28"
          value={content}
          onChange={(event) => setContent(event.target.value)}
        />
        <FieldDescription>What changed, what you tried, how it ended. Markdown supported.</FieldDescription>
      </Field>
    </FormDialog>
  );
}
