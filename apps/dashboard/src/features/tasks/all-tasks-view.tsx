"use client";

import { limits } from "@merkle/wire/limits";
import { useRead } from "@/broker/use-read";
import { ListPage } from "@/components/list-page";
import { PageLink } from "@/components/page-link";
import { ReadPanel } from "@/components/read-panel";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { filterTasks } from "./task-filter";
import { TaskFilters, useTaskFilter } from "./task-filters";
import { TaskLine, taskLine } from "./task-line";

/** The unfinished tasks of all open sessions, least recently changed first. */
export function AllTasksView() {
  return (
    <ListPage title="Tasks">
      <AllTasks />
    </ListPage>
  );
}

const limit = limits.tasksPageMax;

function AllTasks() {
  const filter = useTaskFilter();
  const query = filter.text.trim();
  const read = useRead("list_all_tasks", { limit }, { on: ["sessions"] });
  const isComplete = read.data?.total === read.data?.tasks.length;
  // A list that fits on the page is filtered without asking the broker.
  const found = useRead("list_all_tasks", query === "" || isComplete ? null : { query, limit }, {
    on: ["sessions"],
    keepLast: true,
  });
  return (
    <ReadPanel read={read} failureTitle="Couldn't load tasks.">
      {({ tasks, total }) => {
        const shown = filterTasks(found.data?.tasks ?? tasks, filter, null);
        return total === 0 ? (
          <Empty>
            <EmptyTitle>No open tasks</EmptyTitle>
            <EmptyDescription>Unfinished tasks of all open sessions appear here.</EmptyDescription>
          </Empty>
        ) : (
          <>
            <TaskFilters
              filter={filter}
              hasMine={false}
              tasks={tasks}
              counts={{ shown: shown.length, total }}
            />
            <p className="text-sm text-muted-foreground tabular-nums">
              {describeCount(tasks.length, total)}, least recently changed first
            </p>
            {shown.length > 0 && (
              <ul className="@container divide-y overflow-hidden rounded-lg border">
                {shown.map((task) => (
                  <li key={`${task.session_id} ${task.task}`}>
                    <PageLink href={`/sessions/${task.session}/tasks?task=${task.task}`} className={taskLine}>
                      <TaskLine task={task} where={task.session_title} />
                    </PageLink>
                  </li>
                ))}
              </ul>
            )}
          </>
        );
      }}
    </ReadPanel>
  );
}

function describeCount(count: number, total: number): string {
  if (count < total) return `The first ${count} of ${total} tasks`;
  return total === 1 ? "1 task" : `${total} tasks`;
}
