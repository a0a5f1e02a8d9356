import type { Task } from "@merkle/wire";
import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import { describeFacts, stateLabels } from "./describe-task";

/** Classes of a task's row, which is a button or a link. Its list must be an `@container`. */
export const taskLine =
  "flex w-full flex-wrap items-baseline gap-x-3 px-4 py-2 text-left hover:bg-raised pointer-coarse:min-h-11 @lg:gap-y-1";

export interface TaskLineProps {
  readonly task: Task;
  /** The session's title, for lists with tasks from more than one session. */
  readonly where?: string;
}

/** A task's state, number, title and facts, on one line if there is space. */
export function TaskLine({ task, where }: TaskLineProps) {
  const { task: number, title, state, claimed_at, updated_at, handed_back_at } = task;
  return (
    <>
      <span className="shrink-0 text-sm text-muted-foreground @max-lg:order-1 @lg:w-20">
        {stateLabels[state]}
      </span>
      <span className="flex min-w-0 flex-1 gap-2 @max-lg:basis-full @lg:basis-64">
        <span className="min-w-5 text-right text-muted-foreground tabular-nums @max-lg:text-left">
          {number}
        </span>
        <span
          dir="auto"
          className={cn("min-w-0 [overflow-wrap:anywhere]", state === "cancelled" && "line-through")}
        >
          {title}
        </span>
      </span>
      {handed_back_at !== null && <span className="text-sm text-warning @max-lg:order-1">returned</span>}
      {task.unanswered && <span className="text-sm text-warning @max-lg:order-1">not reviewed yet</span>}
      {describeFacts(task).map((fact) => (
        <span
          key={fact}
          dir="auto"
          className="text-sm text-muted-foreground [overflow-wrap:anywhere] @max-lg:order-1"
        >
          {fact}
        </span>
      ))}
      {where !== undefined && (
        <span dir="auto" className="text-sm [overflow-wrap:anywhere] @max-lg:order-1">
          {where}
        </span>
      )}
      <TimeText
        at={state === "claimed" && claimed_at !== null ? claimed_at : updated_at}
        className="text-sm text-muted-foreground @max-lg:order-1 @lg:w-14 @lg:text-right"
      />
    </>
  );
}
