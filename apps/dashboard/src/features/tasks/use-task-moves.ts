import type { Task } from "@merkle/wire";
import { shortenAddress } from "@merkle/wire/text";
import { useEffect, useRef, useState } from "react";
import { toRefusal } from "@/broker/refusal";
import { useCall } from "@/broker/use-call";
import { useIsGuest } from "@/identity/use-person";
import { useSession } from "@/sessions/session-context";
import { stateLabels } from "./describe-task";
import { type BoardColumn, type Mover, planMove } from "./moves";

/** The result of the last move, as a sentence. */
export interface MoveOutcome {
  readonly text: string;
  readonly isRefused: boolean;
}

export interface TaskMoves {
  readonly mover: Mover;
  readonly outcome: MoveOutcome | null;
  readonly move: (task: Task, to: BoardColumn) => void;
}

/** Moves tasks between the columns of a board. `board` changes with the tasks that it shows. */
export function useTaskMoves(board: unknown): TaskMoves {
  const { session, participants, myTeamId } = useSession();
  const call = useCall();
  const isGuest = useIsGuest();
  const [outcome, setOutcome] = useState<MoveOutcome | null>(null);
  const movedTask = useRef<number | null>(null);
  const name = participants.find(({ team_id }) => team_id === myTeamId)?.team_name ?? null;
  const mover = { name, isGuest };

  // The card of a moved task is a new element in another column. Without this the focus would be lost.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the board shows other tasks.
  useEffect(() => {
    if (movedTask.current === null || document.activeElement !== document.body) return;
    findTaskElement(movedTask.current)?.focus({ preventScroll: true });
    movedTask.current = null;
  }, [board]);

  async function send(task: Task, to: BoardColumn): Promise<MoveOutcome | null> {
    const plan = planMove(task, to, mover);
    if (plan === null) return null;
    const place = `Task ${task.task} stays in ${stateLabels[task.state]}.`;
    if ("refusal" in plan) return { text: `${place} ${plan.refusal}`, isRefused: true };
    try {
      const input = { session_id: session.session_id, task: task.task };
      const moved =
        plan.operation === "claim_task"
          ? (await call("claim_task", input)).task
          : await call(plan.operation, input);
      const state = moved?.state ?? to;
      const holder = state === "claimed" && moved?.holder ? `, held by ${shortenAddress(moved.holder)}` : "";
      return { text: `Task ${task.task} is now in ${stateLabels[state]}${holder}.`, isRefused: false };
    } catch (error) {
      return { text: `${place} ${toRefusal(error).detail}`, isRefused: true };
    }
  }

  return {
    mover,
    outcome,
    move(task, to) {
      movedTask.current = task.task;
      void send(task, to).then((result) => {
        if (result?.isRefused) movedTask.current = null;
        setOutcome(result);
      });
    },
  };
}

/** Returns the element of the page that opens a task. */
export function findTaskElement(task: number): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-task="${task}"]`);
}
