import { type AttentionItem, kindLabels } from "@merkle/wire";
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
import { cn } from "@/core/utils";

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

/** The kind of an item as an icon, and as a word for screen readers. */
export function ItemMark({ kind, className }: { kind: AttentionItem["kind"]; className?: string }) {
  const { Icon, className: colour } = marks[kind];
  return (
    <>
      <Icon aria-hidden className={cn("size-4 shrink-0", colour, className)} />
      <span className="sr-only">{kindLabels[kind]}: </span>
    </>
  );
}
