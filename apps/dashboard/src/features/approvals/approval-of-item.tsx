"use client";

import type { AttentionItem } from "@merkle/wire";
import { useRead } from "@/broker/use-read";
import { Skeleton } from "@/ui/skeleton";
import { ApprovalRequest } from "./approval-request";

/** What an agent asks its person, in the list of what needs them. The item itself contains only the tool. */
export function ApprovalOfItem({ item }: { readonly item: AttentionItem }) {
  const { data, refresh } = useRead("list_approvals", {}, { on: ["person"] });
  if (data === undefined) return <Skeleton className="h-20" />;
  const approval = data.waiting.find((each) => each.approval === item.number);
  if (!approval)
    return <p className="text-muted-foreground">Only your approver devices show and answer this request.</p>;
  return (
    <div data-actions className="flex min-w-0 flex-col gap-3">
      <ApprovalRequest approval={approval} onChanged={refresh} />
    </div>
  );
}
