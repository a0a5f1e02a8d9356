"use client";

import type { AttentionItem } from "@merkle/wire";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { Skeleton } from "@/ui/skeleton";
import { ApprovalRequest } from "./approval-request";

/** What an agent asks its person, in the list of what needs them. The item itself contains only the tool. */
export function ApprovalOfItem({ item }: { readonly item: AttentionItem }) {
  const { data, problem, refresh } = useRead("list_approvals", {}, { on: ["person"] });
  if (problem) return <ProblemAlert problem={problem} title="Couldn't load the request." onRetry={refresh} />;
  if (!data) return <Skeleton className="h-32" />;
  const approval = data.waiting.find((each) => each.approval === item.number);
  if (!approval)
    return (
      <p className="text-muted-foreground">
        This device was not an approver when the agent was launched. Answer in the agent’s terminal or on one
        of its approvers.
      </p>
    );
  return (
    <div data-actions className="flex min-w-0 flex-col gap-3">
      <ApprovalRequest approval={approval} onChanged={refresh} />
    </div>
  );
}
