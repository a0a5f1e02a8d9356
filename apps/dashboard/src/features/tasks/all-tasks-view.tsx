"use client";

import { limits } from "@merkle/wire/limits";
import { useRead } from "@/broker/use-read";
import { ListPage } from "@/components/list-page";
import { PageLink } from "@/components/page-link";
import { ReadPanel } from "@/components/read-panel";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { TaskLine, taskLine } from "./task-line";

/** The unfinished tasks of all open sessions, least recently changed first. */
export function AllTasksView() {
  return (
    <ListPage title="Tasks">
      <AllTasks />
    </ListPage>
  );
}

function AllTasks() {
  const read = useRead("list_all_tasks", { limit: limits.tasksPageMax }, { on: ["sessions"] });
  return (
    <ReadPanel read={read} failureTitle="Couldn't load tasks.">
      {({ tasks, total }) =>
        tasks.length === 0 ? (
          <Empty>
            <EmptyTitle>No open tasks</EmptyTitle>
            <EmptyDescription>Unfinished tasks of all open sessions appear here.</EmptyDescription>
          </Empty>
        ) : (
          <>
            <p className="text-sm text-muted-foreground tabular-nums">
              {total === 1 ? "1 task" : `${total} tasks`}, least recently changed first
            </p>
            <ul className="@container divide-y overflow-hidden rounded-lg border">
              {tasks.map((task) => (
                <li key={`${task.session_id} ${task.task}`}>
                  <PageLink href={`/sessions/${task.session}/tasks?task=${task.task}`} className={taskLine}>
                    <TaskLine task={task} where={task.session_title} />
                  </PageLink>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </ReadPanel>
  );
}
