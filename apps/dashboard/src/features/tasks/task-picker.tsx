"use client";

import { X } from "lucide-react";
import { useId, useRef, useState } from "react";
import { useRead } from "@/broker/use-read";
import { cn } from "@/core/utils";
import { toOptionId, useActiveOption } from "@/feed/compose/use-active-option";
import { useSession } from "@/sessions/session-context";
import { Input } from "@/ui/input";
import { stateLabels } from "./describe-task";
import { matchTasks } from "./task-matches";
import { unfinishedInput } from "./unfinished-input";

export interface TaskPickerProps {
  readonly id: string;
  readonly label: string;
  readonly chosen: readonly number[];
  /** The task that waits, which cannot wait for itself. */
  readonly except?: number | undefined;
  readonly isInvalid: boolean;
  readonly describedBy: string;
  readonly onChange: (chosen: readonly number[]) => void;
}

/** Chooses unfinished tasks of the session by title or number. */
export function TaskPicker({ id, label, chosen, except, isInvalid, describedBy, onChange }: TaskPickerProps) {
  const { session } = useSession();
  const { data } = useRead("list_tasks", unfinishedInput(session.session_id), {
    on: ["tasks"],
    keepLast: true,
  });
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  const tasks = data?.tasks ?? [];
  const matches = matchTasks(
    tasks.filter(({ task }) => task !== except && !chosen.includes(task)),
    text,
  );
  const isShown = isOpen && data !== undefined;
  const { active, handleKey } = useActiveOption({
    count: isShown ? matches.length : 0,
    text,
    onPick: (index) => pick(matches[index]?.task),
    onClose: () => setOpen(false),
  });

  function pick(task: number | undefined): void {
    if (task === undefined) return;
    onChange([...chosen, task]);
    setText("");
  }

  function remove(task: number): void {
    onChange(chosen.filter((each) => each !== task));
    field.current?.focus();
  }

  return (
    <div className="grid gap-1">
      {chosen.length > 0 && (
        <ul aria-label={`${label}: chosen tasks`} className="flex flex-wrap gap-1">
          {chosen.map((number) => {
            const title = tasks.find(({ task }) => task === number)?.title;
            return (
              <li
                key={number}
                className="flex max-w-full items-center rounded-md border bg-surface ps-2 text-sm"
              >
                <span dir="auto" className="min-w-0 truncate">
                  <span className="text-muted-foreground tabular-nums">{number}</span> {title}
                </span>
                <button
                  type="button"
                  aria-label={`Remove task ${number}`}
                  onClick={() => remove(number)}
                  className="inline-flex size-7 shrink-0 items-center justify-center rounded-md hover:bg-raised pointer-coarse:size-11"
                >
                  <X aria-hidden className="size-3.5" />
                </button>
              </li>
            );
          })}
        </ul>
      )}
      <Input
        ref={field}
        id={id}
        role="combobox"
        aria-expanded={isShown}
        aria-controls={isShown ? listId : undefined}
        aria-activedescendant={isShown && matches.length > 0 ? toOptionId(listId, active) : undefined}
        aria-autocomplete="list"
        aria-invalid={isInvalid}
        aria-describedby={describedBy}
        autoComplete="off"
        placeholder="Title or number"
        value={text}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onChange={({ target }) => {
          setText(target.value);
          setOpen(true);
        }}
        onKeyDown={(event) => {
          if (event.key === "Backspace" && text === "") onChange(chosen.slice(0, -1));
          else if (isShown) handleKey(event);
          else if (event.key === "ArrowDown") setOpen(true);
        }}
      />
      {isShown && (
        <div className="rounded-lg border bg-background p-1">
          <div
            id={listId}
            role="listbox"
            tabIndex={-1}
            aria-label={label}
            className="max-h-48 overflow-y-auto"
          >
            {matches.map((task, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above the list has the keys.
              // biome-ignore lint/a11y/useFocusableInteractive: the field above the list keeps the focus.
              <div
                key={task.task}
                ref={index === active ? scrollToOption : undefined}
                id={toOptionId(listId, index)}
                role="option"
                aria-selected={index === active}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => pick(task.task)}
                className={cn(
                  "flex min-h-8 cursor-default items-center gap-2 rounded-md px-2 pointer-coarse:min-h-11",
                  index === active ? "bg-raised" : "hover:bg-surface",
                )}
              >
                <span className="min-w-5 text-right text-muted-foreground tabular-nums">{task.task}</span>
                <span dir="auto" className="min-w-0 flex-1 truncate">
                  {task.title}
                </span>
                <span className="shrink-0 text-sm text-muted-foreground">{stateLabels[task.state]}</span>
              </div>
            ))}
          </div>
          {data.tasks.length < data.total && (
            <p className="px-2 py-1 text-sm text-muted-foreground tabular-nums">
              Showing {data.tasks.length} of {data.total} unfinished tasks, the oldest first
            </p>
          )}
          {matches.length === 0 && (
            <p role="status" className="px-2 py-1 text-sm text-muted-foreground">
              {text === "" ? "No other unfinished tasks." : "No unfinished task matches."}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

function scrollToOption(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: "nearest" });
}
