"use client";

import type { Task, TaskState } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { ChevronDown, ChevronRight, Ellipsis } from "lucide-react";
import { type DragEvent, type ReactNode, useState } from "react";
import { TimeText } from "@/components/time-text";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyPart } from "@/core/lazy-part";
import { cn } from "@/core/utils";
import { Button } from "@/ui/button";
import { describeFacts, stateLabels } from "./describe-task";
import { type BoardColumn, boardColumns, planMove } from "./moves";
import { TaskLine, taskLine } from "./task-line";
import { TaskLink } from "./task-link";
import { findTaskElement, type TaskMoves } from "./use-task-moves";

const MoveMenu = lazyPart(() => import("./move-menu"), "MoveMenu");

/** Finished tasks, which are read only once they are unfolded. */
export interface FoldedTasks {
  readonly state: "done" | "cancelled";
  /** Newest first. Empty while folded. */
  readonly tasks: readonly Task[];
  readonly count: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export interface TaskListProps {
  /** The unfinished tasks that the filter selects. */
  readonly tasks: readonly Task[];
  readonly unfinished: readonly Task[];
  readonly done: FoldedTasks;
  readonly cancelled: FoldedTasks;
  readonly selected: number | null;
  readonly onSelect: (task: number) => void;
  /** Null if the viewer cannot change tasks. */
  readonly moves: TaskMoves | null;
}

/** A board with one column per state. Tasks move by drag and drop, by the menu of their card, or by its key. */
export function TaskBoard({ tasks, done, selected, onSelect, moves }: TaskListProps) {
  const [dragged, setDragged] = useState<Task | null>(null);
  const [target, setTarget] = useState<BoardColumn | null>(null);
  const [menu, setMenu] = useState<{ readonly task: number; readonly anchor: HTMLElement } | null>(null);
  const menuTask = menu && tasks.find(({ task }) => task === menu.task);

  useShortcut("m", openMenuOfFocused, { label: "Move task", group: "Tasks", enabled: moves !== null });

  function openMenuOfFocused(): boolean {
    const focused = tasks.find(({ task }) => findTaskElement(task) === document.activeElement);
    const anchor = document.activeElement;
    if (!focused || !(anchor instanceof HTMLElement)) return false;
    setMenu({ task: focused.task, anchor });
    return true;
  }

  function drop(column: BoardColumn): void {
    if (dragged) moves?.move(dragged, column);
    endDrag();
  }

  function endDrag(): void {
    setDragged(null);
    setTarget(null);
  }

  return (
    <div className="grid gap-2 sm:grid-cols-[repeat(auto-fit,minmax(8.25rem,1fr))]">
      {boardColumns.map((state) => {
        const columnTasks = state === "done" ? done.tasks : tasks.filter((task) => task.state === state);
        const plan = dragged && moves && planMove(dragged, state, moves.mover);
        const isTarget = target === state && plan !== null;
        return (
          <section
            key={state}
            aria-labelledby={`tasks-${state}`}
            onDragOver={(event) => {
              if (dragged === null) return;
              event.preventDefault();
              setTarget(state);
            }}
            onDrop={(event) => {
              event.preventDefault();
              drop(state);
            }}
            className={cn(
              "min-w-0 rounded-lg bg-surface p-2 outline-2 outline-transparent",
              isTarget && ("refusal" in plan ? "outline-danger" : "outline-ring"),
            )}
          >
            <h2 id={`tasks-${state}`} className="mb-2 font-medium">
              {state === "done" ? (
                <FoldButton folded={done} />
              ) : (
                <span className="flex min-h-6 items-center gap-1 px-1">
                  {stateLabels[state]} <Count>{columnTasks.length}</Count>
                </span>
              )}
            </h2>
            {isTarget && "refusal" in plan && <p className="mb-2 px-1 text-sm text-danger">{plan.refusal}</p>}
            <ul className="grid gap-2">
              {columnTasks.map((task) => (
                <li key={task.task} className={cn("relative", dragged?.task === task.task && "opacity-50")}>
                  {moves === null || state === "done" ? (
                    <TaskCard task={task} isSelected={task.task === selected} onSelect={onSelect} />
                  ) : (
                    <MovableCard
                      task={task}
                      isSelected={task.task === selected}
                      onSelect={onSelect}
                      onDragStart={() => setDragged(task)}
                      onDragEnd={endDrag}
                      onMenu={(anchor) => setMenu({ task: task.task, anchor })}
                    />
                  )}
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      {menu && menuTask && moves && (
        <MoveMenu task={menuTask} anchor={menu.anchor} moves={moves} onClose={() => setMenu(null)} />
      )}
    </div>
  );
}

interface MovableCardProps extends TaskCardProps {
  readonly onDragStart: () => void;
  readonly onDragEnd: () => void;
  /** Opens the menu of moves next to an element. */
  readonly onMenu: (anchor: HTMLElement) => void;
}

function MovableCard({ onDragStart, onDragEnd, onMenu, ...card }: MovableCardProps) {
  const { task: number, title } = card.task;
  function startDrag({ dataTransfer }: DragEvent): void {
    dataTransfer.effectAllowed = "move";
    dataTransfer.setData("text/plain", `${number} ${title}`);
    onDragStart();
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button below does the same by keyboard and touch.
    <div draggable onDragStart={startDrag} onDragEnd={onDragEnd}>
      <TaskCard {...card} />
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Move task ${number}`}
        aria-haspopup="dialog"
        onClick={({ currentTarget }) => onMenu(currentTarget)}
        className="absolute top-1 right-1 size-7"
      >
        <Ellipsis aria-hidden />
      </Button>
    </div>
  );
}

/** The tasks in one list, each with its state. Finished ones are folded. */
export function TaskRows({ tasks, done, cancelled, selected, onSelect }: TaskListProps) {
  return (
    <div className="grid gap-3">
      {tasks.length > 0 && <Rows tasks={tasks} selected={selected} onSelect={onSelect} />}
      {[done, cancelled]
        .filter(({ count }) => count > 0)
        .map((folded) => (
          <section key={folded.state} aria-labelledby={`tasks-${folded.state}`} className="grid gap-2">
            <h2 id={`tasks-${folded.state}`} className="font-medium">
              <FoldButton folded={folded} />
            </h2>
            {folded.tasks.length > 0 && <Rows tasks={folded.tasks} selected={selected} onSelect={onSelect} />}
          </section>
        ))}
    </div>
  );
}

function Rows({ tasks, selected, onSelect }: Pick<TaskListProps, "tasks" | "selected" | "onSelect">) {
  return (
    <ul className="@container divide-y overflow-hidden rounded-lg border">
      {tasks.map((task) => (
        <li key={task.task}>
          <TaskLink
            task={task.task}
            data-task={task.task}
            isSelected={task.task === selected}
            onSelect={onSelect}
            className={cn(taskLine, "aria-[current]:bg-raised")}
          >
            <TaskLine task={task} />
          </TaskLink>
        </li>
      ))}
    </ul>
  );
}

function FoldButton({ folded }: { readonly folded: FoldedTasks }) {
  const { state, tasks, count, isOpen, onToggle } = folded;
  const isPartial = tasks.length === limits.tasksPageMax && tasks.length < count;
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="flex min-h-6 w-full items-center gap-1 rounded-md px-1 text-left hover:bg-raised pointer-coarse:min-h-11"
    >
      {stateLabels[state satisfies TaskState]}{" "}
      <Count>{isPartial ? `${tasks.length} of ${count}` : count}</Count>
      <Chevron aria-hidden className="size-4 text-muted-foreground" />
    </button>
  );
}

function Count({ children }: { readonly children: ReactNode }) {
  return <span className="font-normal text-muted-foreground tabular-nums">{children}</span>;
}

interface TaskCardProps {
  readonly task: Task;
  readonly isSelected: boolean;
  readonly onSelect: (task: number) => void;
}

/** A link that opens a task. Shows its number, title, holder, age and blockers. */
function TaskCard({ task, isSelected, onSelect }: TaskCardProps) {
  const { task: number, title, claimed_at, state, handed_back_at } = task;
  const facts = describeFacts(task);
  return (
    <TaskLink
      task={number}
      data-task={number}
      isSelected={isSelected}
      onSelect={onSelect}
      className="block rounded-md border bg-background p-2.5 pr-8 hover:bg-raised aria-[current]:border-primary aria-[current]:bg-raised pointer-coarse:min-h-11 pointer-coarse:pr-12"
    >
      <span className="flex gap-2">
        <span className="text-muted-foreground tabular-nums">{number}</span>
        <span dir="auto" className="min-w-0 flex-1 [overflow-wrap:anywhere]">
          {title}
        </span>
      </span>
      {(facts.length > 0 || handed_back_at !== null) && (
        <span className="mt-1 flex flex-wrap gap-x-2 text-sm text-muted-foreground">
          {handed_back_at !== null && <span className="text-warning">returned</span>}
          {facts.map((fact) => (
            <span key={fact} dir="auto" className="[overflow-wrap:anywhere]">
              {fact}
            </span>
          ))}
          {state === "claimed" && claimed_at !== null && <TimeText at={claimed_at} />}
        </span>
      )}
    </TaskLink>
  );
}
