"use client";

import { describeRequest, planTool, questionTool, shortenAddress, turnEndTool } from "@merkle/wire/text";
import { useId } from "react";
import { PageLink } from "@/components/page-link";
import { TimeText } from "@/components/time-text";
import { ApprovalRequest, type ApprovalRequestProps } from "./approval-request";

/** Requests that are not described by their tool's name. */
const clientTools: readonly string[] = [questionTool, planTool, turnEndTool];

/** A card for a permission, answer or plan that an agent is waiting for. */
export function ApprovalCard({ approval, onChanged }: ApprovalRequestProps) {
  const id = useId();
  const { asked_by, session, tool, folder, asked_at } = approval;
  return (
    <li aria-labelledby={id} className="rounded-lg border">
      <div className="flex flex-col gap-2 px-4 py-3">
        <h2 id={id} className="text-lg font-semibold [overflow-wrap:anywhere]">
          <bdi>{shortenAddress(asked_by)}</bdi>{" "}
          {clientTools.includes(tool) ? (
            describeRequest(tool)
          ) : (
            <>
              asks to use <bdi>{tool}</bdi>
            </>
          )}
        </h2>
        <p className="text-sm text-muted-foreground [overflow-wrap:anywhere]">
          <PageLink href={`/sessions/${session}`} className="hover:underline">
            {session}
          </PageLink>
          {" · in "}
          <span className="font-mono text-xs">{folder}</span>{" "}
          <span className="whitespace-nowrap">
            · <TimeText at={asked_at} />
          </span>
        </p>
        <ApprovalRequest approval={approval} onChanged={onChanged} />
      </div>
    </li>
  );
}
