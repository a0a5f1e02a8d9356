"use client";

import { questionTool } from "@merkle/wire/text";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import type { PreviewProps } from "@/parts/feature";
import { Skeleton } from "@/ui/skeleton";
import { ApprovalRequest } from "./approval-request";

/** What an agent asks its person, in the list of what needs them. The item itself contains only the tool. */
export function ApprovalOfItem({ item, onDone }: PreviewProps) {
  const { data, problem, refresh } = useRead("list_approvals", {}, { on: ["person"] });
  if (problem) return <ProblemAlert problem={problem} title="Couldn't load the request." onRetry={refresh} />;
  if (!data) return <Skeleton className="h-32" />;
  const approval = data.waiting.find((each) => each.approval === item.number);
  if (!approval)
    return (
      <p className="text-muted-foreground">
        Your agent waits for your answer in its terminal or on a device that its launch named as an approver,
        which this device is not.
      </p>
    );
  return (
    <div data-actions className="flex min-w-0 flex-col gap-3">
      <ApprovalRequest
        approval={approval}
        onChanged={(note) => {
          refresh();
          if (note !== null) onDone(note);
        }}
      />
      {/* The form of a question says itself where it can be answered. */}
      {approval.tool !== questionTool && (
        <p className="text-sm text-muted-foreground">
          Your agent waits until you answer, here or in its terminal.
        </p>
      )}
    </div>
  );
}
