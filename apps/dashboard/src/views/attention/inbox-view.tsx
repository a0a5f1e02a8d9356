"use client";

import { type AttentionItem, groupItems, type ItemGroup, toItemHref } from "@merkle/wire";
import { Check, Inbox } from "lucide-react";
import { useRouter } from "next/navigation";
import { Fragment, useEffect, useRef, useState } from "react";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { PanelBoundary } from "@/components/panel-boundary";
import { ProblemAlert } from "@/components/problem-alert";
import { useAttention } from "@/components/use-attention";
import { setQuery } from "@/core/address/address";
import { useQuery } from "@/core/address/use-query";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { cn } from "@/core/utils";
import type { ActionNote } from "@/parts/feature";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Segmented } from "@/ui/segmented";
import { Skeleton } from "@/ui/skeleton";
import { GroupLine } from "./group-line";
import { InboxRow } from "./inbox-row";
import { ItemDetail } from "./item-detail";
import { type HideItemActions, isHidden, usePutAway } from "./use-put-away";

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
  const [note, setNote] = useState<ActionNote | null>(null);
  const hideActions = usePutAway(() => report(null));
  const menu = useRef<HTMLDetailsElement>(null);
  const detail = useRef<HTMLElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [shownId, setShownId] = useState<string | null>(null);

  const items = (data?.items ?? []).filter((item) => isHidden(item) === isShowingHidden);
  const itemParam = query.get("item");
  const opened = new Set(query.get("open")?.split(",") ?? []);
  const groups = groupItems({
    items,
    kinds: isShowingHidden ? [] : (data?.kinds ?? []),
    opened,
    linkedId: itemParam ?? shownId,
  });
  const rows = groups.flatMap((group) => [...group.shown, ...(group.isOpen ? group.folded : [])]);
  const linkedItem = rows.find(({ id }) => id === itemParam);
  // The first item is shown at first, because there is space for an item next to the list. When the shown item leaves the
  // list, nothing takes its place: a second click, meant for that item, must not decide about another.
  const openId = itemParam ?? shownId;
  const current = openId === null ? rows[0] : rows.find(({ id }) => id === openId);
  if (current !== undefined && current.id !== shownId) setShownId(current.id);
  const isEmptied = current === undefined && rows.length > 0;
  useEffect(() => {
    // The focus was on a button of the item that has left.
    if (isEmptied && document.activeElement === document.body) list.current?.focus();
  }, [isEmptied]);
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set());
  const selectedItems = items.filter(({ id }) => selectedIds.has(id));
  const hiddenCount = isShowingHidden ? items.length : (data?.dismissed ?? 0);
  const total = data === undefined ? 0 : isShowingHidden ? data.total - hiddenCount : data.total;

  /** Shows what an action did. Null if the list itself says it. */
  function report(next: ActionNote | null): void {
    setNote(next);
    refresh();
  }
  /** Adds items to the selection, or removes them. */
  function select(changed: readonly AttentionItem[], isSelected: boolean): void {
    const changedIds = new Set(changed.map(({ id }) => id));
    const others = selectedItems.filter(({ id }) => !changedIds.has(id)).map(({ id }) => id);
    setSelectedIds(new Set(isSelected ? [...others, ...changedIds] : others));
  }
  function toggle({ kind, isOpen }: ItemGroup): void {
    const next = isOpen ? [...opened].filter((each) => each !== kind) : [...opened, kind];
    setQuery({ open: next.filter(Boolean).join(","), item: null }, { replace: true });
  }
  function open(item: AttentionItem | undefined, how: { focus?: boolean } = {}): void {
    setQuery({ item: item?.id ?? null }, { replace: true });
    if (how.focus && item) document.querySelector<HTMLElement>(`[data-item="${item.id}"]`)?.focus();
  }
  /** Opens an item and focuses its answer field or first action, or the item if its actions are still loading. */
  function answer(item: AttentionItem): void {
    open(item);
    // On a phone the item only becomes visible with the next frame.
    requestAnimationFrame(() => {
      const action = detail.current?.querySelector<HTMLElement>("[data-actions] :is(button, a, input)");
      (action ?? detail.current)?.focus();
    });
  }
  useInboxKeys({ rows, current, menu, open, answer, markDone: (item) => hideActions.hide([item]) });
  useShortcut("x", () => current && select([current], !selectedIds.has(current.id)), {
    label: "Select or deselect item",
    group: "Needs you",
    enabled: current !== undefined,
  });

  if (data === undefined && problem === undefined) return <Loading />;
  return (
    <div className="flex min-h-0 flex-1 lg:h-[calc(100dvh-3rem)] lg:flex-none">
      <div className={cn("flex min-w-0 flex-1 flex-col lg:overflow-y-auto", linkedItem && "max-lg:hidden")}>
        <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-1.5 lg:px-6">
          <Segmented
            label="Show"
            value={isShowingHidden ? "away" : "waiting"}
            onChange={(show) => {
              setShownId(null);
              setQuery({ show: show === "away" ? "away" : null, item: null, open: null });
            }}
            options={[
              { value: "waiting", label: <Counted word="Waiting" count={total} /> },
              { value: "away", label: <Counted word="Snoozed & done" count={hiddenCount} /> },
            ]}
          />
          {selectedItems.length > 0 && (
            <SelectionActions
              items={selectedItems}
              allItems={items}
              hideActions={hideActions}
              onSelect={(next) => setSelectedIds(new Set(next.map(({ id }) => id)))}
            />
          )}
          <p
            role="status"
            className="flex min-w-0 flex-1 items-center gap-2 max-sm:basis-full text-sm text-muted-foreground"
          >
            {hideActions.refusal !== null && <span className="text-danger">{hideActions.refusal}</span>}
            {note !== null && <Done note={note} />}
            {note === null && hideActions.last !== null && (
              <>
                <span className="min-w-0 truncate">{hideActions.last.text}</span>
                <Button
                  variant="ghost"
                  size="sm"
                  className="text-link"
                  onClick={() => hideActions.last && hideActions.restore(hideActions.last.items)}
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
        <ul
          ref={list}
          tabIndex={-1}
          aria-label="Needs you"
          className="divide-y border-b outline-none empty:hidden"
        >
          {groups.map((group) => (
            <Fragment key={group.kind}>
              {group.shown.map(renderRow)}
              {group.folded.length > 0 && (
                <GroupLine
                  group={group}
                  isSelected={group.folded.every(({ id }) => selectedIds.has(id))}
                  onSelect={(isSelected) => select(group.folded, isSelected)}
                  onToggle={() => toggle(group)}
                />
              )}
              {group.isOpen && group.folded.map(renderRow)}
            </Fragment>
          ))}
        </ul>
        {data && total > items.length && !isShowingHidden && (
          <p className="px-4 py-2 text-sm text-muted-foreground lg:px-6">
            and {(total - items.length).toLocaleString("en")} more after these
          </p>
        )}
        {items.length === 0 && data && <Nothing showsAway={isShowingHidden} />}
      </div>
      {current && (
        <section
          ref={detail}
          aria-label="Detail"
          // A scrollable element must be focusable, so that it can be scrolled with the keyboard.
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the reason above.
          tabIndex={0}
          className={cn(paneClasses, "-outline-offset-2", !linkedItem && "max-lg:hidden")}
        >
          <ItemDetail
            key={current.id}
            item={current}
            hideActions={hideActions}
            menu={menu}
            onBack={() => open(undefined)}
            onDone={report}
          />
        </section>
      )}
      {isEmptied && (
        <p className={cn(paneClasses, "p-6 text-sm text-muted-foreground max-lg:hidden")}>
          Select an item to see it here.
        </p>
      )}
    </div>
  );

  function renderRow(item: AttentionItem) {
    return (
      <InboxRow
        key={item.id}
        item={item}
        isCurrent={item.id === current?.id}
        isSelected={selectedIds.has(item.id)}
        hideActions={hideActions}
        onSelect={(isSelected) => select([item], isSelected)}
        onOpen={() => open(item)}
        onAnswer={() => answer(item)}
        onDone={report}
      />
    );
  }
}

const paneClasses =
  "min-w-0 flex-1 lg:max-w-[24rem] lg:overflow-y-auto lg:border-l xl:max-w-[28rem] 2xl:max-w-[36rem]";

/** Confirms an action, with a link to its result. */
function Done({ note: { text, href } }: { readonly note: ActionNote }) {
  return (
    <>
      <Check aria-hidden className="size-4 shrink-0 text-success" />
      <span className="min-w-0 truncate">{text}</span>
      {href !== undefined && (
        <PageLink href={href} className="shrink-0 text-link hover:underline">
          Show message
        </PageLink>
      )}
    </>
  );
}

function Counted({ word, count }: { word: string; count: number }) {
  return (
    <span className="flex gap-1.5">
      {word}
      <span className="text-muted-foreground tabular-nums">{count.toLocaleString("en")}</span>
    </span>
  );
}

interface SelectionActionsProps {
  readonly items: readonly AttentionItem[];
  readonly allItems: readonly AttentionItem[];
  readonly hideActions: HideItemActions;
  readonly onSelect: (items: readonly AttentionItem[]) => void;
}

/** The actions on the selected items. */
function SelectionActions({ items, allItems, hideActions, onSelect }: SelectionActionsProps) {
  const isHiddenList = items.every(isHidden);
  return (
    <div role="toolbar" aria-label="Selected items" className="flex flex-wrap items-center gap-2">
      <span className="text-sm tabular-nums">{items.length} selected</span>
      <Button
        size="sm"
        onClick={() => {
          if (isHiddenList) hideActions.restore(items);
          else hideActions.hide(items);
          onSelect([]);
        }}
      >
        {isHiddenList ? "Restore" : items.length === allItems.length ? "Done with all" : "Done"}
      </Button>
      {items.length < allItems.length && (
        <Button size="sm" variant="outline" onClick={() => onSelect(allItems)}>
          Select all {allItems.length}
        </Button>
      )}
      <Button size="sm" variant="ghost" onClick={() => onSelect([])}>
        Clear
      </Button>
    </div>
  );
}

interface InboxKeys {
  readonly rows: readonly AttentionItem[];
  readonly current: AttentionItem | undefined;
  readonly menu: React.RefObject<HTMLDetailsElement | null>;
  readonly open: (item: AttentionItem | undefined, how?: { focus?: boolean }) => void;
  readonly answer: (item: AttentionItem) => void;
  readonly markDone: (item: AttentionItem) => void;
}

/** Registers the shortcuts. `j` and `k` move through the list. Enter, `a`, `e` and `h` act on the selected item. */
function useInboxKeys({ rows, current, menu, open, answer, markDone }: InboxKeys): void {
  const router = useRouter();
  const group = "Needs you";
  const hasItem = current !== undefined;
  const at = current === undefined ? -1 : rows.indexOf(current);
  const go = (step: number) => open(rows[Math.max(0, Math.min(rows.length - 1, at + step))], { focus: true });
  const hasRows = rows.length > 0;
  useShortcut("j", () => go(1), { label: "Next item", group, enabled: hasRows });
  useShortcut("k", () => go(-1), { label: "Previous item", group, enabled: hasRows });
  useShortcut("a", () => current && answer(current), {
    label: "Answer or act",
    group,
    enabled: hasItem,
  });
  useShortcut(
    "Enter",
    () => {
      // Buttons, links and fields that have the focus handle Enter themselves.
      const isElsewhere = document.activeElement?.closest("button, a, input, summary") ?? false;
      if (isElsewhere || !current) return false;
      router.push(toItemHref(current));
      return true;
    },
    { label: "Open in session", group, enabled: hasItem },
  );
  useShortcut(
    "e",
    () => {
      if (!current || isHidden(current)) return false;
      markDone(current);
      open(rows[at + 1] ?? rows[at - 1], { focus: true });
      return true;
    },
    { label: "Mark done, for you only", group, enabled: hasItem },
  );
  useShortcut(
    "h",
    () => {
      menu.current?.setAttribute("open", "");
      menu.current?.querySelector("button")?.focus();
    },
    { label: "Snooze", group, enabled: hasItem },
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
