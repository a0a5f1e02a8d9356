"use client";

import type { OutputOf } from "@merkle/wire";
import { formatScope, shortenAddress } from "@merkle/wire/text";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { RefusalNote } from "@/components/refusal-note";
import { TimeText } from "@/components/time-text";
import { CheckoutLine, findTaskCheckout, useCheckouts } from "@/features/checkouts/api";
import { useIsGuest } from "@/identity/use-person";
import { useSession } from "@/sessions/session-context";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Button } from "@/ui/button";
import { Kbd } from "@/ui/kbd";
import { describeHolder, stateLabels } from "./describe-task";
import { TaskLink } from "./task-link";
import { unfinishedInput } from "./unfinished-input";
import { useSheetKey } from "./use-sheet-key";

type TaskInFull = OutputOf<"get_task">;

export interface TaskDetailsProps {
  readonly task: TaskInFull;
  readonly canChange: boolean;
  readonly onSelect: (task: number) => void;
  readonly onEdit: () => void;
}

/** A task in full, with the actions on it and its history. */
export function TaskDetails({ task, canChange, onSelect, onEdit }: TaskDetailsProps) {
  const { session } = useSession();
  const { text, files, check, result, proof, links, history, labels } = task;
  const checkout = findTaskCheckout(useCheckouts(task.session_id), task);
  const facts = [stateLabels[task.state], describeHolder(task), ...labels.map((label) => `+${label}`)];
  return (
    <div className="grid gap-3">
      <p dir="auto" className="text-muted-foreground [overflow-wrap:anywhere]">
        {facts.filter((each) => each !== "").join(" · ")}
      </p>
      {checkout && <CheckoutLine checkout={checkout} />}
      {task.waits_for.length > 0 && <Blockers task={task} onSelect={onSelect} />}
      {text !== "" && <MarkdownText text={text} />}
      {files.length > 0 && (
        <ul aria-label="Files" className="flex flex-wrap gap-x-3 gap-y-1 font-mono text-sm">
          {files.map((file) => (
            <li key={file} className="[overflow-wrap:anywhere]">
              {formatScope(file)}
            </li>
          ))}
        </ul>
      )}
      {check && (
        <p className="[overflow-wrap:anywhere]">
          {"command" in check ? (
            <>
              Done when the assignee runs <code className="font-mono text-sm">{check.command}</code>{" "}
              successfully
            </>
          ) : (
            `Reviewed by ${shortenAddress(check.reviewer)}`
          )}
        </p>
      )}
      {links.length > 0 && (
        <ul aria-label="Links" className="flex flex-wrap gap-3">
          {links.map((link) =>
            "message" in link ? (
              <li key={`m${link.message}`}>
                <PageLink
                  className="text-link underline"
                  href={`/sessions/${session.slug}?m=${link.message}`}
                >
                  Message {link.message}
                </PageLink>
              </li>
            ) : (
              <li key={link.section}>§ {link.section}</li>
            ),
          )}
        </ul>
      )}
      {result !== null && (
        <section aria-label="Result">
          <h3 className="font-medium">Result</h3>
          <MarkdownText text={result} />
        </section>
      )}
      {proof && (
        <pre className="max-h-40 overflow-auto rounded-md bg-surface p-2 font-mono text-sm whitespace-pre-wrap">
          exit {proof.exit_code}
          {proof.tail !== "" && `\n${proof.tail}`}
        </pre>
      )}
      {canChange && <Actions key={task.task} task={task} onEdit={onEdit} />}
      <ol aria-label="History" className="grid gap-1 border-t pt-3 text-sm text-muted-foreground">
        {history.map(({ sequence, change, by, reason, at }) => (
          <li key={sequence} dir="auto" className="[overflow-wrap:anywhere]">
            <PageLink className="hover:underline" href={`/sessions/${session.slug}?m=${sequence}`}>
              {change.replace("_", " ")} by {shortenAddress(by)}
            </PageLink>{" "}
            <TimeText at={at} />
            {reason !== null && `: ${reason}`}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The tasks that a task waits for, by title. */
function Blockers({ task, onSelect }: Pick<TaskDetailsProps, "task" | "onSelect">) {
  const { data } = useRead("list_tasks", unfinishedInput(task.session_id), { on: ["tasks"], keepLast: true });
  return (
    <section aria-label="Blocked by">
      <h3 className="font-medium">Blocked by</h3>
      <ul>
        {task.waits_for.map((number) => (
          <li key={number}>
            <TaskLink
              task={number}
              isSelected={false}
              onSelect={onSelect}
              className="inline-flex min-h-6 items-center gap-2 text-link pointer-coarse:min-h-11"
            >
              <span className="tabular-nums">{number}</span>
              <span dir="auto" className="underline [overflow-wrap:anywhere]">
                {data?.tasks.find((each) => each.task === number)?.title ?? "Open task"}
              </span>
            </TaskLink>
          </li>
        ))}
      </ul>
    </section>
  );
}

/**
 * The actions on a task. Everyone can claim a task and end their own claim. All other actions need a verified human.
 */
function Actions({ task, onEdit }: Pick<TaskDetailsProps, "task" | "onEdit">) {
  const { session_id, task: number, state, mine } = task;
  const call = useCall();
  const { run, isPending, refusal } = useAction();
  const isGuest = useIsGuest();
  const taskRef = { session_id, task: number };
  const isHeld = state === "claimed" || state === "in_review";
  const isOver = state === "done" || state === "cancelled";
  const canDecide = !isGuest || mine;
  const allowed = {
    claim: state === "open",
    release: isHeld && canDecide,
    finish: !isOver && state !== "blocked" && canDecide,
    edit: state === "open" || state === "blocked" || (isHeld && canDecide),
    cancel: !isOver && canDecide,
  };
  const act = (work: () => Promise<unknown>) => void run(async () => void (await work()));
  const claim = () => act(() => call("claim_task", taskRef));
  const finish = () => act(() => call("finish_task", taskRef));
  const release = () => act(() => call("release_task", taskRef));
  useSheetKey("c", claim, { label: "Claim task", enabled: allowed.claim });
  useSheetKey("f", finish, { label: "Finish task", enabled: allowed.finish });
  useSheetKey("r", release, { label: "Release task", enabled: allowed.release });
  useSheetKey("e", onEdit, { label: "Edit task", enabled: allowed.edit });
  const finishLabel = state === "in_review" && !mine ? "Accept" : "Finish";
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        {allowed.claim && (
          <Button variant="outline" disabled={isPending} onClick={claim}>
            Claim{" "}
            <Kbd aria-hidden className="pointer-coarse:hidden">
              c
            </Kbd>
          </Button>
        )}
        {allowed.finish && (
          <Button variant="outline" disabled={isPending} onClick={finish}>
            {finishLabel}{" "}
            <Kbd aria-hidden className="pointer-coarse:hidden">
              f
            </Kbd>
          </Button>
        )}
        {allowed.release && (
          <Button variant="outline" disabled={isPending} onClick={release}>
            {state === "in_review" && !mine ? "Send back" : "Release"}{" "}
            <Kbd aria-hidden className="pointer-coarse:hidden">
              r
            </Kbd>
          </Button>
        )}
        {allowed.edit && (
          <Button variant="outline" disabled={isPending} onClick={onEdit}>
            Edit{" "}
            <Kbd aria-hidden className="pointer-coarse:hidden">
              e
            </Kbd>
          </Button>
        )}
        {allowed.cancel && (
          <Button
            variant="ghost"
            disabled={isPending}
            onClick={() => act(() => call("update_task", { ...taskRef, state: "cancelled" }))}
          >
            Cancel task
          </Button>
        )}
      </div>
      <RefusalNote refusal={refusal} />
    </div>
  );
}
