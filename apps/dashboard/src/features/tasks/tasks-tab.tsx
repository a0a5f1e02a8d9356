"use client";

import { limits } from "@merkle/wire/limits";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useRead } from "@/broker/use-read";
import { PanelBoundary } from "@/components/panel-boundary";
import { ReadPanel } from "@/components/read-panel";
import { useQueryParam } from "@/core/address/use-query-param";
import { usePaletteAction } from "@/core/keyboard/use-palette-action";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyPart } from "@/core/lazy-part";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Segmented } from "@/ui/segmented";
import { ClaimsPanel } from "./claims-panel";
import { TaskBoard, TaskRows } from "./task-board";
import { TaskDetails } from "./task-details";
import { TaskGraph } from "./task-graph";

const TaskDialog = lazyPart(() => import("./task-dialog"), "TaskDialog");

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

/** The tasks as a column next to the feed. */
export function TasksBeside() {
  return <TasksTab isBeside />;
}

/** Next to the feed, tasks are a list, and single-letter shortcuts belong to the feed. */
function Tasks({ isBeside }: { readonly isBeside: boolean }) {
  const { session, at, isObserver } = useSession();
  const [viewParam, setView] = useQueryParam("view");
  const [taskParam, setTask] = useQueryParam("task");
  const [isAdding, setAdding] = useState(false);
  const defaultView: View = isBeside ? "list" : "board";
  const view = viewParam !== null && viewParam in views ? (viewParam as View) : defaultView;
  const input = { session_id: session.session_id, state: "all", limit: limits.tasksPageMax } as const;
  const read = useRead("list_tasks", input, { on: ["tasks"], keepLast: true });
  const tasks = read.data?.tasks ?? [];
  const selected = /^\d+$/.test(taskParam ?? "") ? Number(taskParam) : null;
  const canChange = !session.session_closed && at === null && !isObserver;
  const select = (task: number | null) => setTask(task === null ? null : String(task), { replace: true });

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
            <Plus aria-hidden /> New task
          </Button>
        )}
      </div>
      <div className={selected === null || isBeside ? "grid gap-4" : "grid gap-4 xl:grid-cols-[1fr_24rem]"}>
        <div className={isBeside ? "order-last min-w-0" : "min-w-0 max-xl:order-last"}>
          <ReadPanel read={read} failureTitle="Couldn't load tasks.">
            {() =>
              tasks.length === 0 ? (
                <NoTasks canChange={canChange} onAdd={add} />
              ) : (
                <ViewComponent
                  tasks={tasks}
                  selected={selected}
                  onSelect={(task) => select(task === selected ? null : task)}
                />
              )
            }
          </ReadPanel>
        </div>
        {selected !== null && (
          <TaskDetails task={selected} canChange={canChange} onClose={() => select(null)} />
        )}
      </div>
      <div className="max-w-3xl">
        <ClaimsPanel canChange={canChange} />
      </div>
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
