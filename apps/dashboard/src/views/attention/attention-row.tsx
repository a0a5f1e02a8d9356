"use client";

import { type AttentionItem, describeItem, kindLabels, nameOfPlace, placeOfItem } from "@merkle/wire";
import {
  CircleX,
  FileDiff,
  Gauge,
  ListChecks,
  MailX,
  MessageCircleQuestionMark,
  Moon,
  OctagonAlert,
  Pause,
  ShieldQuestionMark,
  Undo2,
} from "lucide-react";
import { PageLink } from "@/components/page-link";
import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import { ItemActions } from "./item-actions";
import { PutAway } from "./put-away";

const marks = {
  approval: { Icon: ShieldQuestionMark, className: "text-link" },
  ask: { Icon: MessageCircleQuestionMark, className: "text-link" },
  proposal: { Icon: FileDiff, className: "text-link" },
  job_failed: { Icon: CircleX, className: "text-danger" },
  in_review: { Icon: ListChecks, className: "text-link" },
  handed_back: { Icon: Undo2, className: "text-warning" },
  blocked: { Icon: OctagonAlert, className: "text-danger" },
  held: { Icon: Pause, className: "text-warning" },
  budget_spent: { Icon: Gauge, className: "text-warning" },
  budget_near: { Icon: Gauge, className: "text-warning" },
  quiet: { Icon: Moon, className: "text-muted-foreground" },
  quota_near: { Icon: Gauge, className: "text-warning" },
  undelivered: { Icon: MailX, className: "text-warning" },
} as const;

export interface AttentionRowProps {
  readonly item: AttentionItem;
  /** Called when something was done about it. */
  readonly onChanged: () => void;
}

/** One thing that needs a human: who, what, where, since when, and what can be done about it here. */
export function AttentionRow({ item, onChanged }: AttentionRowProps) {
  const { Icon, className } = marks[item.kind];
  const { who, what, quote } = describeItem(item);
  const putAway = item.dismissed || item.snoozed_until !== null;
  return (
    <li className={cn("flex items-start gap-3 px-4 py-2.5", putAway && "bg-surface")}>
      <Icon aria-hidden className={cn("mt-0.5 size-4 shrink-0", className)} />
      <div className="min-w-0 flex-1">
        <p className="break-words">
          <span className="sr-only">{kindLabels[item.kind]}: </span>
          {who !== null && <bdi className="font-medium">{who}</bdi>} {what}
          {quote !== null && (
            <q dir="auto" className="line-clamp-3">
              {quote}
            </q>
          )}
        </p>
        <p className="mt-0.5 flex items-center gap-x-2 text-sm text-muted-foreground">
          <PageLink
            href={placeOfItem(item)}
            // A path that is too long keeps its end, which is the file's name.
            dir={item.session_id === null ? "rtl" : "auto"}
            className="min-w-0 truncate py-0.5 hover:underline pointer-coarse:py-3"
          >
            {item.session_id === null ? <bdi>{nameOfPlace(item)}</bdi> : item.session_title}
          </PageLink>
          <TimeText at={item.since} className="shrink-0" />
          {item.snoozed_until !== null && (
            <span className="shrink-0">
              · back <TimeText at={item.snoozed_until} as="clock" />
            </span>
          )}
          {item.dismissed && <span className="shrink-0">· dismissed</span>}
        </p>
        <ItemActions item={item} onChanged={onChanged} />
      </div>
      <PutAway item={item} onChanged={onChanged} />
    </li>
  );
}
