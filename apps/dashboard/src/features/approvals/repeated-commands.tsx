"use client";

import type { Approval } from "@merkle/wire";
import { shortenAddress } from "@merkle/wire/text";
import { Panel } from "@/components/panel";
import { RefusalNote } from "@/components/refusal-note";
import { TimeText } from "@/components/time-text";
import { Button } from "@/ui/button";
import { formatRequest } from "./request-text";
import { useAnswer } from "./use-answer";

interface RepeatedCommandsProps {
  readonly approvals: readonly Approval[];
  readonly onChanged: () => void;
}

/** The commands that the person has allowed for the rest of a launch, each with a button that revokes it. */
export function RepeatedCommands({ approvals, onChanged }: RepeatedCommandsProps) {
  return (
    <Panel title="Allowed for a launch" level={2}>
      <ul className="divide-y">
        {approvals.map((approval) => (
          <RepeatedCommand key={approval.approval} approval={approval} onChanged={onChanged} />
        ))}
      </ul>
    </Panel>
  );
}

function RepeatedCommand({
  approval,
  onChanged,
}: {
  readonly approval: Approval;
  readonly onChanged: () => void;
}) {
  const { answer, isPending, refusal } = useAnswer(approval, onChanged);
  const { asked_by, tool, input, folder, asked_at, ended_at } = approval;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-48">
        <pre className="font-mono text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">
          <code>{formatRequest(tool, input)}</code>
        </pre>
        <p className="text-sm text-muted-foreground [overflow-wrap:anywhere]">
          <bdi>{shortenAddress(asked_by)}</bdi> in <span className="font-mono text-xs">{folder}</span>,{" "}
          <TimeText at={ended_at ?? asked_at} />
        </p>
      </div>
      <Button variant="outline" disabled={isPending} onClick={() => answer({ decision: "revoke" })}>
        Revoke
      </Button>
      <RefusalNote refusal={refusal} />
    </li>
  );
}
