"use client";

import type { Task } from "@merkle/wire";
import { useId } from "react";
import { AnchoredPopover } from "@/components/anchored-popover";
import { stateLabels } from "./describe-task";
import { type BoardColumn, boardColumns, planMove } from "./moves";
import type { TaskMoves } from "./use-task-moves";

export interface MoveMenuProps {
  readonly task: Task;
  readonly anchor: HTMLElement;
  readonly moves: TaskMoves;
  readonly onClose: () => void;
}

/** The columns that a task can move to, for the keyboard and for touch. Other columns say why it cannot. */
export function MoveMenu({ task, anchor, moves, onClose }: MoveMenuProps) {
  const id = useId();
  return (
    <AnchoredPopover
      label={`Move task ${task.task}`}
      anchor={anchor}
      align="end"
      className="grid w-72 gap-1 p-1"
      onClose={onClose}
    >
      {boardColumns.map((column) => {
        const plan = planMove(task, column, moves.mover);
        const refusal = plan && "refusal" in plan ? plan.refusal : undefined;
        return plan === null ? null : (
          <div key={column}>
            <button
              type="button"
              aria-disabled={refusal !== undefined}
              aria-describedby={refusal === undefined ? undefined : `${id}${column}`}
              onClick={() => choose(column)}
              className="flex min-h-8 w-full items-center rounded-md px-2 text-left hover:bg-raised aria-disabled:text-muted-foreground pointer-coarse:min-h-11"
            >
              {column === "claimed" && refusal === undefined
                ? "Claim for me"
                : `Move to ${stateLabels[column]}`}
            </button>
            {refusal !== undefined && (
              <p id={`${id}${column}`} className="px-2 pb-1 text-sm text-muted-foreground">
                {refusal}
              </p>
            )}
          </div>
        );
      })}
    </AnchoredPopover>
  );

  function choose(column: BoardColumn): void {
    moves.move(task, column);
    onClose();
  }
}
