"use client";

import { Plus } from "lucide-react";
import { useState } from "react";
import { useRead } from "@/broker/use-read";
import { PanelBoundary } from "@/components/panel-boundary";
import { ReadPanel } from "@/components/read-panel";
import { useQueryParam } from "@/core/address/use-query-param";
import { usePaletteAction } from "@/core/keyboard/use-palette-action";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyPart } from "@/core/lazy-part";
import { cn } from "@/core/utils";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Segmented } from "@/ui/segmented";
import { ClaimsPanel } from "./claims-panel";
import { TaskBoard, TaskRows } from "./task-board";
import { filterTasks } from "./task-filter";
import { TaskFilters, useTaskFilter } from "./task-filters";
import { TaskGraph } from "./task-graph";
import { unfinishedInput } from "./unfinished-input";
import { useFoldedTasks } from "./use-folded-tasks";
import { useSelectedTask } from "./use-selected-task";
import { useTaskMoves } from "./use-task-moves";

const TaskDialog = lazyPart(() => import("./task-dialog"), "TaskDialog");
const TaskSheet = lazyPart(() => import("./task-sheet"), "TaskSheet");

const views = { board: TaskBoard, list: TaskRows, order: TaskGraph } as const;
type View = keyof typeof views;

/** The tasks of a session with their holders and dependencies, and the claims on files. */
export function TasksTab({ isBeside = false }: { readonly isBeside?: boolean }) {
  return (
    <section aria-label="Tasks" className="min-h-0 min-w-0 flex-1 overflow-y-auto p-4 lg:p-6">
      <PanelBoundary title="Tasks">
        <Tasks isBeside={isBeside} />
      </PanelBoundary>
    </section>
  );
}

/** Next to the feed, tasks are a list, and single-letter shortcuts belong to the feed. */
function Tasks({ isBeside }: { readonly isBeside: boolean }) {
  const { session, at, isObserver } = useSession();
  const [viewParam, setView] = useQueryParam("view");
  const [isAdding, setAdding] = useState(false);
  const defaultView: View = isBeside ? "list" : "board";
  const view = viewParam !== null && viewParam in views ? (viewParam as View) : defaultView;
  const filter = useTaskFilter();
  const read = useRead("list_tasks", unfinishedInput(session.session_id), { on: ["tasks"], keepLast: true });
  const unfinished = read.data?.tasks ?? [];
  const moves = useTaskMoves(read.data);
  const shown = filterTasks(unfinished, filter, moves.mover.name);
  const done = useFoldedTasks("done", filter, moves.mover.name);
  const cancelled = useFoldedTasks("cancelled", filter, moves.mover.name);
  const { selected, select } = useSelectedTask();
  const canChange = !session.session_closed && at === null && !isObserver;

  function step(by: 1 | -1): void {
    const elements = [...document.querySelectorAll<HTMLElement>("[data-task]")];
    const index = elements.findIndex((each) => each.dataset["task"] === String(selected));
    const next = elements[index < 0 ? 0 : Math.min(Math.max(index + by, 0), elements.length - 1)];
    next?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (next) select(Number(next.dataset["task"]));
  }

  const add = () => setAdding(true);
  useShortcut("j", () => step(1), { label: "Next task", group: "Tasks", enabled: !isBeside });
  useShortcut("k", () => step(-1), { label: "Previous task", group: "Tasks", enabled: !isBeside });
  useShortcut("n", add, { label: "New task", group: "Tasks", enabled: canChange && !isBeside });
  usePaletteAction(canChange ? { id: "new-task", label: "New task…", keywords: ["todo"], run: add } : null);
  const ViewComponent = views[view];
  const totals = [read.data?.total, done.total, cancelled.total];
  const hasNoTasks = totals.every((each) => each === 0);

  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center gap-3">
        <Segmented
          label="Task view"
          value={view}
          onChange={(next) => setView(next === defaultView ? null : next)}
          options={[
            { value: "board", label: "Board" },
            { value: "list", label: "List" },
            { value: "order", label: "Dependencies" },
          ]}
        />
        {canChange && (
          <Button className="ml-auto" onClick={add}>
            <Plus aria-hidden />
            <span>
              New<span className="max-sm:sr-only"> task</span>
            </span>
          </Button>
        )}
      </div>
      {!hasNoTasks && (
        <TaskFilters
          filter={filter}
          hasMine
          tasks={unfinished}
          counts={read.data && { shown: shown.length, total: read.data.total }}
        />
      )}
      <p
        role="status"
        className={cn("empty:sr-only", moves.outcome?.isRefused ? "text-danger" : "text-muted-foreground")}
      >
        {moves.outcome?.text}
      </p>
      <div className="min-w-0">
        <ReadPanel read={read} failureTitle="Couldn't load tasks.">
          {(data) =>
            hasNoTasks ? (
              <NoTasks canChange={canChange} onAdd={add} />
            ) : (
              <div className="grid gap-2">
                {data.tasks.length < data.total && (
                  <p className="text-sm text-muted-foreground tabular-nums">
                    Showing {data.tasks.length} of {data.total} unfinished tasks, the oldest first
                  </p>
                )}
                <ViewComponent
                  tasks={shown}
                  unfinished={unfinished}
                  done={done}
                  cancelled={cancelled}
                  selected={selected}
                  onSelect={select}
                  moves={canChange && !isBeside ? moves : null}
                />
              </div>
            )
          }
        </ReadPanel>
      </div>
      <div className="max-w-3xl">
        <ClaimsPanel canChange={canChange} />
      </div>
      {selected !== null && (
        <TaskSheet
          task={selected}
          canChange={canChange}
          onStep={step}
          onSelect={select}
          onClose={() => select(null)}
        />
      )}
      {isAdding && <TaskDialog onClose={() => setAdding(false)} />}
    </div>
  );
}

function NoTasks({ canChange, onAdd }: { readonly canChange: boolean; readonly onAdd: () => void }) {
  return (
    <Empty className="rounded-lg border">
      <EmptyTitle>No tasks yet</EmptyTitle>
      <EmptyDescription>
        Agents add tasks with create_task and claim them with claim_task. Only one agent gets each task.
      </EmptyDescription>
      {canChange && (
        <Button variant="outline" onClick={onAdd}>
          <Plus aria-hidden /> New task
        </Button>
      )}
    </Empty>
  );
}
