"use client";

import { type AttentionItem, toItemHref } from "@merkle/wire";
import { Inbox, Moon } from "lucide-react";
import { useRouter } from "next/navigation";
import { useRef } from "react";
import { PageHeader } from "@/components/page-header";
import { PanelBoundary } from "@/components/panel-boundary";
import { ProblemAlert } from "@/components/problem-alert";
import { useAttention } from "@/components/use-attention";
import { setQuery } from "@/core/address/address";
import { useQuery } from "@/core/address/use-query";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { cn } from "@/core/utils";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Segmented } from "@/ui/segmented";
import { Skeleton } from "@/ui/skeleton";
import { InboxRow } from "./inbox-row";
import { ItemDetail } from "./item-detail";
import { isHidden, usePutAway } from "./use-put-away";

/** The items that wait for this person, one per line, with the selected item next to them. */
export function InboxView() {
  return (
    <>
      <PageHeader crumbs={[{ label: "Needs you" }]} />
      <h1 className="sr-only">Needs you</h1>
      <PanelBoundary title="What needs you">
        <Items />
      </PanelBoundary>
    </>
  );
}

function Items() {
  const query = useQuery();
  const isShowingHidden = query.get("show") === "away";
  const attention = useAttention({ dismissed: isShowingHidden });
  const { data, problem, refresh } = attention;
  const hideActions = usePutAway(refresh);
  const menu = useRef<HTMLDetailsElement>(null);
  const detail = useRef<HTMLElement>(null);

  const items = (data?.items ?? []).filter((item) => isHidden(item) === isShowingHidden);
  const urgentItems = items.filter(({ kind }) => kind !== "quiet");
  const quietItems = items.filter(({ kind }) => kind === "quiet");
  const itemParam = query.get("item");
  const isShowingQuiet = query.get("quiet") === "1" || quietItems.some(({ id }) => id === itemParam);
  const rows = isShowingQuiet ? [...urgentItems, ...quietItems] : urgentItems;
  const linkedItem = rows.find(({ id }) => id === itemParam);
  // Without a choice in the URL, the first item is selected, because there is space for an item next to the list.
  const selected = linkedItem ?? rows[0];
  const hiddenCount = isShowingHidden ? items.length : (data?.dismissed ?? 0);
  const total = data === undefined ? 0 : isShowingHidden ? data.total - hiddenCount : data.total;

  function select(item: AttentionItem | undefined, how: { focus?: boolean } = {}): void {
    setQuery({ item: item?.id ?? null }, { replace: true });
    if (how.focus && item) document.querySelector<HTMLElement>(`[data-item="${item.id}"]`)?.focus();
  }
  /** Opens an item and focuses its answer field or first action. */
  function answer(item: AttentionItem): void {
    select(item);
    // On a phone the item only becomes visible with the next frame.
    requestAnimationFrame(() =>
      detail.current?.querySelector<HTMLElement>("[data-actions] :is(button, a, input)")?.focus(),
    );
  }
  useInboxKeys({ rows, selected, menu, select, answer, markDone: (item) => hideActions.hide(item) });

  if (data === undefined && problem === undefined) return <Loading />;
  return (
    <div className="flex min-h-0 flex-1 lg:h-[calc(100dvh-3rem)] lg:flex-none">
      <div className={cn("flex min-w-0 flex-1 flex-col lg:overflow-y-auto", linkedItem && "max-lg:hidden")}>
        <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-1.5 lg:px-6">
          <Segmented
            label="Show"
            value={isShowingHidden ? "away" : "waiting"}
            onChange={(show) => setQuery({ show: show === "away" ? "away" : null, item: null, quiet: null })}
            options={[
              { value: "waiting", label: <Counted word="Waiting" count={total} /> },
              { value: "away", label: <Counted word="Snoozed & done" count={hiddenCount} /> },
            ]}
          />
          <p role="status" className="flex min-w-0 flex-1 items-center gap-2 text-sm text-muted-foreground">
            {hideActions.refusal !== null && <span className="text-danger">{hideActions.refusal}</span>}
            {hideActions.last !== null && (
              <>
                <span className="min-w-0 truncate">{hideActions.last.text}</span>
                <Button
                  variant="ghost"
                  size="sm"
                  className="text-link"
                  onClick={() => hideActions.last && hideActions.restore(hideActions.last.item)}
                >
                  Undo
                </Button>
              </>
            )}
          </p>
        </div>
        {problem && (
          <ProblemAlert
            problem={problem}
            title="Couldn't load what needs you."
            isStale={data !== undefined}
            onRetry={refresh}
            className="m-3"
          />
        )}
        <ul aria-label="Needs you" className="divide-y border-b empty:hidden">
          {rows.slice(0, urgentItems.length).map(renderRow)}
          {quietItems.length > 0 && (
            <li>
              <button
                type="button"
                aria-expanded={isShowingQuiet}
                onClick={() =>
                  setQuery({ quiet: isShowingQuiet ? null : "1", item: null }, { replace: true })
                }
                className="flex min-h-10 w-full items-center gap-3 px-4 text-left text-muted-foreground -outline-offset-2 hover:bg-surface lg:px-6 pointer-coarse:min-h-11"
              >
                <Moon aria-hidden className="size-4 shrink-0" />
                <span className="flex-1">
                  {quietItems.length === 1 ? "1 session has" : `${quietItems.length} sessions have`} gone
                  quiet
                </span>
                <span className="text-sm">{isShowingQuiet ? "Hide" : "Show"}</span>
              </button>
            </li>
          )}
          {isShowingQuiet && quietItems.map(renderRow)}
        </ul>
        {data && total > items.length && !isShowingHidden && (
          <p className="px-4 py-2 text-sm text-muted-foreground lg:px-6">
            and {(total - items.length).toLocaleString("en")} more after these
          </p>
        )}
        {items.length === 0 && data && <Nothing showsAway={isShowingHidden} />}
      </div>
      {selected && (
        <section
          ref={detail}
          aria-label="Detail"
          // A scrollable element must be focusable, so that it can be scrolled with the keyboard.
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the reason above.
          tabIndex={0}
          className={cn(
            "min-w-0 flex-1 -outline-offset-2 lg:max-w-[24rem] lg:overflow-y-auto lg:border-l xl:max-w-[28rem] 2xl:max-w-[36rem]",
            !linkedItem && "max-lg:hidden",
          )}
        >
          <ItemDetail
            key={selected.id}
            item={selected}
            hideActions={hideActions}
            menu={menu}
            onBack={() => select(undefined)}
            onChanged={refresh}
          />
        </section>
      )}
    </div>
  );

  function renderRow(item: AttentionItem) {
    return (
      <InboxRow
        key={item.id}
        item={item}
        isSelected={item.id === selected?.id}
        hideActions={hideActions}
        onSelect={() => select(item)}
        onAnswer={() => answer(item)}
        onChanged={refresh}
      />
    );
  }
}

function Counted({ word, count }: { word: string; count: number }) {
  return (
    <span className="flex gap-1.5">
      {word}
      <span className="text-muted-foreground tabular-nums">{count.toLocaleString("en")}</span>
    </span>
  );
}

interface InboxKeys {
  readonly rows: readonly AttentionItem[];
  readonly selected: AttentionItem | undefined;
  readonly menu: React.RefObject<HTMLDetailsElement | null>;
  readonly select: (item: AttentionItem | undefined, how?: { focus?: boolean }) => void;
  readonly answer: (item: AttentionItem) => void;
  readonly markDone: (item: AttentionItem) => void;
}

/** Registers the shortcuts. `j` and `k` move through the list. Enter, `a`, `e` and `h` act on the selected item. */
function useInboxKeys({ rows, selected, menu, select, answer, markDone }: InboxKeys): void {
  const router = useRouter();
  const group = "Needs you";
  const hasSelection = selected !== undefined;
  const at = selected === undefined ? -1 : rows.indexOf(selected);
  const go = (step: number) =>
    select(rows[Math.max(0, Math.min(rows.length - 1, at + step))], { focus: true });
  useShortcut("j", () => go(1), { label: "Next item", group, enabled: hasSelection });
  useShortcut("k", () => go(-1), { label: "Previous item", group, enabled: hasSelection });
  useShortcut("a", () => selected && answer(selected), {
    label: "Answer or act",
    group,
    enabled: hasSelection,
  });
  useShortcut(
    "Enter",
    () => {
      // Buttons, links and fields that have the focus handle Enter themselves.
      const isElsewhere = document.activeElement?.closest("button, a, input, summary") ?? false;
      if (isElsewhere || !selected) return false;
      router.push(toItemHref(selected));
      return true;
    },
    { label: "Open in session", group, enabled: hasSelection },
  );
  useShortcut(
    "e",
    () => {
      if (!selected || isHidden(selected)) return false;
      markDone(selected);
      select(rows[at + 1] ?? rows[at - 1], { focus: true });
      return true;
    },
    { label: "Mark done, for you only", group, enabled: hasSelection },
  );
  useShortcut(
    "h",
    () => {
      menu.current?.setAttribute("open", "");
      menu.current?.querySelector("button")?.focus();
    },
    { label: "Snooze", group, enabled: hasSelection },
  );
}

function Loading() {
  return (
    <div aria-busy="true" className="grid gap-3 p-4 lg:p-6">
      {["w-3/5", "w-4/5", "w-2/3", "w-1/2"].map((width) => (
        <Skeleton key={width} className={`h-6 ${width}`} />
      ))}
    </div>
  );
}

function Nothing({ showsAway }: { readonly showsAway: boolean }) {
  return (
    <Empty className="flex-1 justify-center py-16">
      <Inbox aria-hidden strokeWidth={1.25} className="size-10 text-muted-foreground" />
      <EmptyTitle>{showsAway ? "Nothing snoozed" : "You're all caught up"}</EmptyTitle>
      <EmptyDescription>
        {showsAway
          ? "Snoozed and completed items. Restore them any time. Others still see them."
          : "Questions, proposals and blocked agents from every session show up here."}
      </EmptyDescription>
    </Empty>
  );
}
