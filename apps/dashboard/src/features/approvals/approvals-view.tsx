"use client";

import type { Approval, OutputOf } from "@merkle/wire";
import { shortenAddress } from "@merkle/wire/text";
import { ChevronRight } from "lucide-react";
import { useRead } from "@/broker/use-read";
import { InstallSnippet } from "@/components/install-snippet";
import { ListPage } from "@/components/list-page";
import { Panel } from "@/components/panel";
import { ReadPanel } from "@/components/read-panel";
import { Snippet } from "@/components/snippet";
import { TimeText } from "@/components/time-text";
import { GuestNote } from "@/identity/power-gate";
import { useIsGuest, usePerson } from "@/identity/use-person";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { RepeatedCommands } from "./repeated-commands";
import { formatRequest } from "./request-text";
import { WaitingApprovals } from "./waiting-approvals";

/** The permission requests of your own agents, which you can answer on this device. */
export function ApprovalsView() {
  return (
    <ListPage title="Approvals" isNarrow className="flex flex-col gap-6">
      <OwnApprovals />
    </ListPage>
  );
}

function OwnApprovals() {
  const { person, requirePerson } = usePerson();
  const isGuest = useIsGuest();
  const isKnown = person !== null && !isGuest;
  const read = useRead("list_approvals", isKnown ? {} : null, { on: ["person"] });
  if (isGuest) return <GuestNote />;
  if (!isKnown)
    return (
      <Empty>
        <EmptyTitle>Answer your agents from this device</EmptyTitle>
        <EmptyDescription>
          Add your name first. Then you can launch agents that ask this device for permission.
        </EmptyDescription>
        <Button onClick={() => void requirePerson().catch(() => undefined)}>Add your name</Button>
      </Empty>
    );
  return (
    <ReadPanel read={read} failureTitle="Couldn't load approvals.">
      {(approvals) => <Found {...approvals} onChanged={read.refresh} />}
    </ReadPanel>
  );
}

function Found({
  device,
  waiting,
  again,
  ended,
  onChanged,
}: OutputOf<"list_approvals"> & { readonly onChanged: () => void }) {
  return (
    <div className="grid gap-6">
      {waiting.length === 0 ? (
        <Empty>
          <EmptyTitle>No pending approvals</EmptyTitle>
          <EmptyDescription>
            Permission prompts and plans appear here from agents launched with{" "}
            <code className="font-mono">--approvals</code>, and questions with{" "}
            <code className="font-mono">--own-words</code> as well.
          </EmptyDescription>
        </Empty>
      ) : (
        <WaitingApprovals waiting={waiting} onChanged={onChanged} />
      )}
      {again.length > 0 && <RepeatedCommands approvals={again} onChanged={onChanged} />}
      {ended.length > 0 && (
        <Panel title="Ended" level={2}>
          <EndedApprovals ended={ended} />
        </Panel>
      )}
      <section aria-label="This device" className="flex flex-col gap-2 text-sm">
        <InstallSnippet />
        <Snippet
          label="Let this device answer requests"
          text={`merkle config set approvers ${device} --local\nmerkle launch --approvals`}
        />
        <p className="text-muted-foreground">
          Run this in your own terminal, on the machine where your agents run. Only this device can then
          answer, or you at the agent’s terminal, where unanswered requests wait.
        </p>
      </section>
    </div>
  );
}

const states: Readonly<Record<Approval["state"], string>> = {
  waiting: "Waiting",
  allowed: "Allowed",
  denied: "Denied",
  left: "Left for the terminal",
  withdrawn: "Answered in the terminal",
  lapsed: "Not answered",
};

/**
 * The most recent approvals and their results. The session's record also contains them, with a hash instead of the
 * text.
 */
function EndedApprovals({ ended }: { readonly ended: readonly Approval[] }) {
  return (
    <ul className="divide-y">
      {ended.map(
        ({
          approval,
          state,
          allowed_by,
          asked_by,
          tool,
          input,
          words,
          answers,
          hash,
          asked_at,
          ended_at,
        }) => (
          <li key={approval}>
            <details className="group px-4">
              <summary className="flex cursor-pointer flex-wrap items-baseline gap-x-3 py-2.5 pointer-coarse:min-h-11">
                <ChevronRight
                  aria-hidden
                  className="-mx-1 size-4 shrink-0 self-center text-muted-foreground group-open:rotate-90"
                />
                <span className="font-medium">{answers === null ? states[state] : "Answered"}</span>
                <span className="text-muted-foreground">
                  <bdi>{tool}</bdi>, <bdi>{shortenAddress(asked_by)}</bdi>
                </span>
                <code className="min-w-0 flex-1 basis-48 truncate text-sm group-open:invisible">
                  {formatRequest(tool, input)}
                </code>
                <TimeText at={ended_at ?? asked_at} className="text-sm text-muted-foreground" />
              </summary>
              <pre className="font-mono text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">
                <code>{formatRequest(tool, input)}</code>
              </pre>
              {answers !== null && (
                <p className="mt-1 text-sm [overflow-wrap:anywhere]">
                  Your answer: <q dir="auto">{answers.join("; ")}</q>
                </p>
              )}
              {words !== null && (
                <p className="mt-1 text-sm">
                  Message to the agent: <q dir="auto">{words}</q>
                </p>
              )}
              {allowed_by !== null && (
                <p className="mt-1 text-sm">
                  Allowed for the launch by your answer to approval {allowed_by}.
                </p>
              )}
              <p className="mt-1 pb-2.5 font-mono text-xs text-muted-foreground [overflow-wrap:anywhere]">
                {hash}
              </p>
            </details>
          </li>
        ),
      )}
    </ul>
  );
}
