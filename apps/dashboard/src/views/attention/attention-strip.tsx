"use client";

import { type AttentionItem, describeItemSource } from "@merkle/wire";
import { ArrowRight } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { PageLink } from "@/components/page-link";
import { PanelBoundary } from "@/components/panel-boundary";
import { ProblemAlert } from "@/components/problem-alert";
import { TimeText } from "@/components/time-text";
import { useAttention } from "@/components/use-attention";
import type { ActionNote } from "@/parts/feature";
import { ItemActions } from "./item-actions";
import { ItemMark } from "./item-mark";
import { ItemSentence } from "./item-sentence";

const shownMax = 3;

/** The first items of Needs you, as a strip above the sessions with a link to all items. */
export function AttentionStrip() {
  return (
    <PanelBoundary title="What needs you">
      <Strip />
    </PanelBoundary>
  );
}

function Strip() {
  const { data, problem, refresh } = useAttention();
  const items = data?.items ?? [];
  // Only items that a person can settle are important enough to push the list of sessions down.
  const shownItems = items.filter((item) => item.needs_person).slice(0, shownMax);
  const [done, setDone] = useState<DoneItem | null>(null);
  const lines: (AttentionItem | null)[] = [...shownItems];
  if (done && !items.some(({ id }) => id === done.id)) lines.splice(done.index, 0, null);
  if (problem) {
    return (
      <ProblemAlert
        problem={problem}
        title="Couldn't load what needs you."
        isStale={data !== undefined}
        onRetry={refresh}
        className="mb-6"
      />
    );
  }
  if (data === undefined || lines.length === 0) return null;
  return (
    <section aria-labelledby="needs-you" className="mb-6 overflow-hidden rounded-lg border">
      <div className="flex min-h-9 items-center gap-2 border-b bg-surface px-3 text-sm">
        <h2 id="needs-you" className="me-auto font-medium">
          Needs you
        </h2>
        <PageLink
          href="/needs-you"
          className="flex items-center gap-1 py-1 text-link hover:underline pointer-coarse:min-h-11"
        >
          All <span className="tabular-nums">{data.needs_person.toLocaleString("en")}</span>
          <ArrowRight aria-hidden className="size-3.5" />
        </PageLink>
      </div>
      <ul aria-label="Needs you" className="divide-y">
        {lines.slice(0, shownMax).map((item, index) =>
          item === null ? (
            <li
              key="done"
              className="flex min-h-10 items-center px-3 text-sm text-muted-foreground pointer-coarse:min-h-11"
            >
              <span className="truncate">{done?.text}</span>
            </li>
          ) : (
            <StripRow
              key={item.id}
              item={item}
              note={item.id === done?.id ? done.text : null}
              onDone={({ text }) => {
                setDone({ id: item.id, index, text });
                refresh();
              }}
            />
          ),
        )}
      </ul>
    </section>
  );
}

/** An item after an action on it. When it leaves, a line with the result keeps its place, so that no other moves under the pointer. */
interface DoneItem {
  readonly id: string;
  readonly index: number;
  readonly text: string;
}

interface StripRowProps {
  readonly item: AttentionItem;
  /** The result of the last action on the item. */
  readonly note: string | null;
  readonly onDone: (note: ActionNote) => void;
}

function StripRow({ item, note, onDone }: StripRowProps) {
  const router = useRouter();
  const href = `/needs-you?item=${encodeURIComponent(item.id)}`;
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-3 px-3 hover:bg-surface sm:flex-nowrap">
      <PageLink
        href={href}
        className="flex min-h-10 min-w-0 flex-1 basis-full items-center gap-3 py-1.5 -outline-offset-2 sm:basis-0 pointer-coarse:min-h-11"
      >
        <ItemMark kind={item.kind} />
        <span className="min-w-0 flex-1 max-sm:line-clamp-2 sm:truncate">
          <ItemSentence item={item} />
        </span>
        <span className="hidden w-40 truncate text-sm lg:w-64 text-muted-foreground md:block">
          <bdi>{describeItemSource(item)}</bdi>
        </span>
        <TimeText
          at={item.since}
          className="shrink-0 text-right text-sm text-muted-foreground tabular-nums sm:w-12"
        />
      </PageLink>
      <span className="flex max-w-full min-w-44 items-center justify-end gap-2 max-sm:hidden">
        {note !== null && <span className="truncate text-sm text-muted-foreground">{note}</span>}
        <ItemActions item={item} onDone={onDone} onAnswer={() => router.push(href)} />
      </span>
    </li>
  );
}
