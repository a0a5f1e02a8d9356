"use client";

import { type AttentionItem, describeItemSource } from "@merkle/wire";
import { ArrowRight } from "lucide-react";
import { useRouter } from "next/navigation";
import { PageLink } from "@/components/page-link";
import { PanelBoundary } from "@/components/panel-boundary";
import { ProblemAlert } from "@/components/problem-alert";
import { TimeText } from "@/components/time-text";
import { useAttention } from "@/components/use-attention";
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
  if (data === undefined || shownItems.length === 0) return null;
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
        {shownItems.map((item) => (
          <StripRow key={item.id} item={item} onChanged={refresh} />
        ))}
      </ul>
    </section>
  );
}

function StripRow({ item, onChanged }: { readonly item: AttentionItem; readonly onChanged: () => void }) {
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
      <span className="flex max-w-full min-w-44 justify-end max-sm:hidden">
        <ItemActions item={item} onChanged={onChanged} onAnswer={() => router.push(href)} />
      </span>
    </li>
  );
}
