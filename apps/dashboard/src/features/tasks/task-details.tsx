"use client";

import type { OutputOf } from "@merkle/wire";
import { formatScope, shortenAddress } from "@merkle/wire/text";
import { X } from "lucide-react";
import { useEffect, useRef } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { ReadPanel } from "@/components/read-panel";
import { RefusalNote } from "@/components/refusal-note";
import { TimeText } from "@/components/time-text";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { useIsGuest } from "@/identity/use-person";
import { useSession } from "@/sessions/session-context";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Button } from "@/ui/button";
import { describeHolder, describeWaits, stateLabels } from "./describe-task";

type TaskInFull = OutputOf<"get_task">;

export interface TaskDetailsProps {
  readonly task: number;
  readonly canChange: boolean;
  readonly onClose: () => void;
}

/** A task in full, with its history and the actions on it. */
export function TaskDetails({ task, canChange, onClose }: TaskDetailsProps) {
  const { session } = useSession();
  const read = useRead(
    "get_task",
    { session_id: session.session_id, task },
    { on: ["tasks"], keepLast: true },
  );
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (task > 0) heading.current?.focus({ preventScroll: true });
  }, [task]);
  useShortcut("Escape", onClose, { label: "Close task", group: "Tasks" });
  return (
    <section aria-labelledby="task-title" className="grid content-start gap-3 rounded-lg border p-4">
      <div className="flex items-start justify-between gap-3">
        <h2
          id="task-title"
          ref={heading}
          tabIndex={-1}
          dir="auto"
          className="text-lg font-semibold [overflow-wrap:anywhere]"
        >
          Task {task}
          {read.data && `: ${read.data.title}`}
        </h2>
        <Button variant="ghost" size="icon" aria-label="Close task" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </div>
      <ReadPanel read={read} failureTitle="Couldn't load the task.">
        {(data) => <Facts task={data} canChange={canChange} />}
      </ReadPanel>
    </section>
  );
}

function Facts({ task, canChange }: { readonly task: TaskInFull; readonly canChange: boolean }) {
  const { session } = useSession();
  const { text, files, check, result, proof, links, history } = task;
  const facts = [stateLabels[task.state], describeHolder(task), describeWaits(task)].filter(
    (each) => each !== "",
  );
  return (
    <div className="grid gap-3">
      <p className="text-muted-foreground">{facts.join(" · ")}</p>
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
      {canChange && <Actions task={task} />}
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

/**
 * The actions on a task. Everyone can claim a task and end their own claim. All other actions need a verified human.
 */
function Actions({ task }: { readonly task: TaskInFull }) {
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
    cancel: !isOver && canDecide,
  };
  const handlers = {
    claim: () => void run(async () => void (await call("claim_task", taskRef))),
    release: () => void run(async () => void (await call("release_task", taskRef))),
    finish: () => void run(async () => void (await call("finish_task", taskRef))),
    cancel: () => void run(async () => void (await call("update_task", { ...taskRef, state: "cancelled" }))),
  };
  useShortcut("c", handlers.claim, { label: "Claim task", group: "Tasks", enabled: allowed.claim });
  useShortcut("r", handlers.release, { label: "Release task", group: "Tasks", enabled: allowed.release });
  useShortcut("f", handlers.finish, { label: "Finish task", group: "Tasks", enabled: allowed.finish });
  const finishLabel = state === "in_review" && !mine ? "Accept" : "Finish";
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        {allowed.claim && (
          <Button variant="outline" disabled={isPending} onClick={handlers.claim}>
            Claim
          </Button>
        )}
        {allowed.finish && (
          <Button variant="outline" disabled={isPending} onClick={handlers.finish}>
            {finishLabel}
          </Button>
        )}
        {allowed.release && (
          <Button variant="outline" disabled={isPending} onClick={handlers.release}>
            {state === "in_review" && !mine ? "Send back" : "Release"}
          </Button>
        )}
        {allowed.cancel && (
          <Button variant="ghost" disabled={isPending} onClick={handlers.cancel}>
            Cancel task
          </Button>
        )}
      </div>
      <RefusalNote refusal={refusal} />
    </div>
  );
}
