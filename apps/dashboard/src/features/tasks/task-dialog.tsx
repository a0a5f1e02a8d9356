"use client";

import type { Task } from "@merkle/wire";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { useIsGuest } from "@/identity/use-person";
import { formatPeerAddress } from "@/sessions/roster-rows";
import { useSession } from "@/sessions/session-context";
import { FieldDescription, FieldError } from "@/ui/field";
import { Input } from "@/ui/input";
import { Textarea } from "@/ui/textarea";
import {
  emptyDraft,
  findChanges,
  findRefusedFields,
  listProblems,
  splitEntries,
  type TaskDraft,
  type TaskField,
  type TaskProblems,
  toDraft,
} from "./task-draft";
import { TaskPicker } from "./task-picker";

export interface TaskDialogProps {
  /** The task to change. Without one, the dialog adds a task. */
  readonly task?: Task;
  readonly onClose: () => void;
}

/** Adds a task to the session, or changes one. Each field names its problem. */
export function TaskDialog({ task, onClose }: TaskDialogProps) {
  const { session, participants, peers } = useSession();
  const call = useCall();
  const isGuest = useIsGuest();
  const [initial] = useState(() => (task ? toDraft(task) : emptyDraft));
  const [draft, setDraft] = useState(initial);
  const [problems, setProblems] = useState<TaskProblems>({});
  const [refusals, setRefusals] = useState(0);
  const fields = useRef<HTMLDivElement>(null);
  const namesId = useId();
  // A claimed task keeps the files that its holder claimed with it.
  const canChangeFiles = task === undefined || task.state === "open" || task.state === "blocked";

  useEffect(() => {
    if (refusals > 0) fields.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus();
  }, [refusals]);

  function refuse(found: TaskProblems): false {
    setProblems(found);
    setRefusals((before) => before + 1);
    return false;
  }

  async function send(signal: AbortSignal): Promise<boolean> {
    const found = listProblems(draft);
    if (Object.keys(found).length > 0) return refuse(found);
    try {
      await save(signal);
      return true;
    } catch (error) {
      const refused = findRefusedFields(error);
      if (refused === null) throw error;
      return refuse(refused);
    }
  }

  async function save(signal: AbortSignal): Promise<void> {
    const { session_id } = session;
    const { title, text, assignee, blockedBy, labels, files, command } = draft;
    if (task) {
      const changes = findChanges(initial, draft);
      if (changes) await call("update_task", { session_id, task: task.task, ...changes }, { signal });
      return;
    }
    const input = {
      ...{ session_id, title, text, blocked_by: [...blockedBy] },
      ...{ labels: splitEntries(labels), files: splitEntries(files) },
      ...(assignee.trim() === "" ? {} : { assignee }),
      ...(command.trim() === "" ? {} : { check: { command } }),
    };
    await call("create_task", input, { signal });
  }

  function set(field: TaskField, value: TaskDraft[TaskField]): void {
    setDraft((before) => ({ ...before, [field]: value }));
    setProblems((before) => ({ ...before, [field]: undefined }));
  }

  const names = [
    ...participants.filter(({ left_at }) => left_at === null).map(({ team_name }) => team_name),
    ...peers.flatMap(({ left_at, team, name }) =>
      left_at === null && name !== null ? [formatPeerAddress(team, name)] : [],
    ),
  ];

  const controls = (field: Exclude<TaskField, "blockedBy">) => ({
    value: draft[field],
    onChange: ({ target }: { readonly target: { readonly value: string } }) => set(field, target.value),
  });

  return (
    <FormDialog
      className="sm:max-w-xl"
      title={task ? `Edit task ${task.task}` : "New task"}
      description="Agents pick up tasks that are ready. The assignee is notified."
      submit={task ? "Save task" : "Add task"}
      submitting={task ? "Saving…" : "Adding…"}
      onSubmit={send}
      onClose={onClose}
    >
      <div ref={fields} className="grid gap-4">
        <FormField label="Title" problem={problems.title}>
          {(control) => <Input dir="auto" maxLength={200} {...controls("title")} {...control} />}
        </FormField>
        <FormField label="Description" problem={problems.text}>
          {(control) => <Textarea className="max-h-[30dvh] min-h-20" {...controls("text")} {...control} />}
        </FormField>
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <FormField
            label="Assignee"
            hint="A team or a peer. Leave empty for anyone."
            problem={problems.assignee}
          >
            {(control) => <Input dir="auto" list={namesId} {...controls("assignee")} {...control} />}
          </FormField>
          <FormField label="Labels" hint="Separated by commas." problem={problems.labels}>
            {(control) => <Input dir="auto" {...controls("labels")} {...control} />}
          </FormField>
        </div>
        <datalist id={namesId}>
          {[...new Set(names)].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <FormField label="Blocked by" hint="Tasks that must be done first." problem={problems.blockedBy}>
          {({ id, ...control }) => (
            <TaskPicker
              id={id}
              label="Blocked by"
              chosen={draft.blockedBy}
              except={task?.task}
              isInvalid={control["aria-invalid"]}
              describedBy={control["aria-describedby"]}
              onChange={(chosen) => set("blockedBy", chosen)}
            />
          )}
        </FormField>
        {canChangeFiles && (
          <FormField
            label="Files"
            hint="Paths or patterns, such as src/auth/**, separated by commas. Claiming the task claims these files."
            problem={problems.files}
          >
            {(control) => <Input className="font-mono" {...controls("files")} {...control} />}
          </FormField>
        )}
        {!isGuest && task === undefined && (
          <FormField
            label="Done when (command)"
            hint="The assignee runs this command; exit code 0 proves that the task is done."
            problem={problems.command}
          >
            {(control) => (
              <Input className="font-mono" maxLength={500} {...controls("command")} {...control} />
            )}
          </FormField>
        )}
      </div>
    </FormDialog>
  );
}

interface FieldControl {
  readonly id: string;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string;
}

interface FormFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly problem: string | undefined;
  /** Renders the control with the ids that connect it to its label, hint and problem. */
  readonly children: (control: FieldControl) => ReactNode;
}

/** A control with its label above, and its hint and problem below. */
function FormField({ label, hint, problem, children }: FormFieldProps) {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, "aria-invalid": problem !== undefined, "aria-describedby": `${id}problem ${id}hint` })}
      <FieldError id={`${id}problem`}>{problem}</FieldError>
      {hint !== undefined && <FieldDescription id={`${id}hint`}>{hint}</FieldDescription>}
    </div>
  );
}
