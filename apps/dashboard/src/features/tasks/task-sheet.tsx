"use client";

import { useEffect, useRef, useState } from "react";
import { useRead } from "@/broker/use-read";
import { ReadPanel } from "@/components/read-panel";
import { lazyPart } from "@/core/lazy-part";
import { useSession } from "@/sessions/session-context";
import { Sheet, SheetContent, SheetTitle } from "@/ui/sheet";
import { TaskDetails } from "./task-details";
import { useSheetKey } from "./use-sheet-key";

export interface TaskSheetProps {
  readonly task: number;
  readonly canChange: boolean;
  /** Shows the task before or after this one on the page. */
  readonly onStep: (by: 1 | -1) => void;
  readonly onSelect: (task: number) => void;
  readonly onClose: () => void;
}

const TaskDialog = lazyPart(() => import("./task-dialog"), "TaskDialog");

/** A task over the list or board from which it was opened. */
export function TaskSheet({ task, canChange, onStep, onSelect, onClose }: TaskSheetProps) {
  const { session } = useSession();
  const input = { session_id: session.session_id, task };
  const read = useRead("get_task", input, { on: ["tasks"], keepLast: true });
  const [isEditing, setEditing] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (task > 0) heading.current?.focus({ preventScroll: true });
  }, [task]);

  useSheetKey("j", () => onStep(1), { label: "Next task" });
  useSheetKey("k", () => onStep(-1), { label: "Previous task" });

  return (
    <>
      <Sheet open onOpenChange={(open) => !open && onClose()}>
        <SheetContent aria-describedby={undefined} className="max-w-lg" data-task-sheet>
          <SheetTitle ref={heading} tabIndex={-1} dir="auto" className="mr-10 [overflow-wrap:anywhere]">
            Task {task}
            {read.data && `: ${read.data.title}`}
          </SheetTitle>
          <ReadPanel read={read} failureTitle="Couldn't load the task.">
            {(data) => (
              <TaskDetails
                task={data}
                canChange={canChange}
                onSelect={onSelect}
                onEdit={() => setEditing(true)}
              />
            )}
          </ReadPanel>
        </SheetContent>
      </Sheet>
      {isEditing && read.data && <TaskDialog task={read.data} onClose={() => setEditing(false)} />}
    </>
  );
}
