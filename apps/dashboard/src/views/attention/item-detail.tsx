"use client";

import {
  type AttentionItem,
  describeItem,
  describeItemSource,
  isQuestion,
  kindLabels,
  toItemHref,
} from "@merkle/wire";
import { ArrowLeft } from "lucide-react";
import type { RefObject } from "react";
import { PageLink } from "@/components/page-link";
import { PanelBoundary } from "@/components/panel-boundary";
import { TimeText } from "@/components/time-text";
import { lazyPart } from "@/core/lazy-part";
import type { ActionNote } from "@/parts/feature";
import { Button } from "@/ui/button";
import { Kbd } from "@/ui/kbd";
import { ItemActions } from "./item-actions";
import { ItemMark } from "./item-mark";
import { PutAway } from "./put-away";
import type { HideItemActions } from "./use-put-away";

const ItemPreview = lazyPart(() => import("./item-preview"), "ItemPreview");

export interface ItemDetailProps {
  readonly item: AttentionItem;
  readonly hideActions: HideItemActions;
  readonly menu: RefObject<HTMLDetailsElement | null>;
  readonly onBack: () => void;
  readonly onDone: (note: ActionNote) => void;
}

/** An item in full, with all actions. */
export function ItemDetail({ item, hideActions, menu, onBack, onDone }: ItemDetailProps) {
  const { who, what } = describeItem(item);
  const consequence = consequences[isQuestion(item) ? "ask" : item.kind];
  return (
    <article aria-label="Details" className="flex min-h-full min-w-0 flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2 border-b px-4 text-sm text-muted-foreground lg:px-6">
        <Button variant="ghost" size="icon" className="-ms-2 lg:hidden" onClick={onBack}>
          <ArrowLeft aria-hidden />
          <span className="sr-only">Back to all</span>
        </Button>
        <ItemMark kind={item.kind} />
        <span aria-hidden className="truncate">
          {kindLabels[item.kind]}
        </span>
        <TimeText at={item.since} className="me-auto shrink-0 tabular-nums" />
        <PutAway item={item} hideActions={hideActions} menu={menu} />
      </header>
      <div className="grid min-w-0 content-start gap-4 p-4 lg:p-6">
        <div className="grid gap-1">
          <h2 className="text-lg leading-7 font-semibold [overflow-wrap:anywhere]">
            {who !== null && <bdi>{who}</bdi>} {what}
          </h2>
          <p className="flex min-w-0 text-sm">
            <span className="me-1 shrink-0 text-muted-foreground">in</span>
            <PageLink
              href={toItemHref(item)}
              className="min-w-0 text-link [overflow-wrap:anywhere] hover:underline"
            >
              <bdi>{describeItemSource(item)}</bdi>
            </PageLink>
          </p>
        </div>
        <PanelBoundary title="Preview">
          <ItemPreview item={item} onDone={onDone} />
        </PanelBoundary>
        <ItemActions item={item} onDone={onDone} />
        <p className="text-sm text-muted-foreground empty:hidden">{consequence}</p>
      </div>
      <p className="mt-auto hidden flex-wrap gap-x-4 gap-y-1 border-t px-6 py-3 text-xs text-muted-foreground lg:flex">
        {hints.map(([key, does]) => (
          <span key={key} className="flex items-center gap-1.5">
            <Kbd>{key}</Kbd> {does}
          </span>
        ))}
      </p>
    </article>
  );
}

const hints = [
  ["j k", "next, previous"],
  ["Enter", "open"],
  ["a", "answer"],
  ["e", "done"],
  ["h", "snooze"],
] as const;

/** What happens next for each kind of item, so that people can decide without knowing Merkle well. */
const consequences: Readonly<Record<AttentionItem["kind"], string | null>> = {
  // The request itself says who can answer it, and where.
  approval: null,
  ask: "The first answer wins. Everyone can see who answered.",
  proposal: "Nothing changes until someone accepts it.",
  job_failed: "A job runs once. Retry starts a new one.",
  in_review: "The task is done once its reviewer or a person accepts it, or its check passes.",
  handed_back: "Its agent went offline, so the task is open again.",
  blocked: "The agent clears this itself when it continues. A nudge makes it read its messages now.",
  held: "Agents cannot post until someone resumes the session. Work already running continues.",
  budget_spent: "Agents cannot post until a human replies or resumes the session.",
  budget_near: "When the budget is used up, the session is held.",
  quiet: "No messages since then, and no agent is checking for any. The session may be done or stuck.",
  undelivered: "No recipient has checked for messages since then. A nudge reaches those that are connected.",
  quota_near: "Beyond the limit, more is refused. The person who runs the broker can raise it.",
};
