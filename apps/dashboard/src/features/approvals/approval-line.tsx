"use client";

import type { AttentionItem } from "@merkle/wire";
import { useRead } from "@/broker/use-read";
import { formatRequestLine } from "./request-text";

/** The first line of what an agent asks, after the item's sentence. Empty on devices that are not its approver. */
export function ApprovalLine({ item }: { readonly item: AttentionItem }) {
  const { data } = useRead("list_approvals", {}, { on: ["person"] });
  const approval = data?.waiting.find((each) => each.approval === item.number);
  if (!approval) return null;
  return (
    <>
      {" "}
      <code dir="auto" className="font-mono text-xs text-muted-foreground">
        {formatRequestLine(approval.tool, approval.input)}
      </code>
    </>
  );
}
