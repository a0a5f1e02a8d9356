"use client";

import type { Session } from "@merkle/wire";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { ProblemAlert } from "@/components/problem-alert";
import { useAttention } from "@/components/use-attention";
import { setQuery } from "@/core/address/address";
import { useQuery } from "@/core/address/use-query";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyPart } from "@/core/lazy-part";
import { SessionFilters } from "./session-filters";
import { isNarrowed, parseSessionQuery, type SessionQuery } from "./session-query";
import { SessionRow } from "./session-row";
import { SessionColumns } from "./session-table";
import { SessionsSkeleton } from "./sessions-skeleton";
import { useSessionList } from "./use-session-list";

const FirstSteps = lazyPart(() => import("./first-steps"), "FirstSteps");
const MoreSessions = lazyPart(() => import("./more-sessions"), "MoreSessions");
const NoneFound = lazyPart(() => import("./sessions-empty"), "NoneFound");
const SelectionBar = lazyPart(() => import("./selection-bar"), "SelectionBar");

/** The sessions that match the URL. Sessions that need this person come first. */
export function SessionList({ onStart }: { onStart: () => void }) {
  const [query, change] = useSessionQuery();
  const attention = useAttention();
  const idsInNeed = new Set(
    attention.data?.items.flatMap(({ needs_person, session_id }) => (needs_person && session_id) || []),
  );
  const requestedList = useSessionList(query, idsInNeed);
  // If no session is open, the page shows the most recently closed sessions.
  const isIdle =
    query.state === "open" &&
    !isNarrowed(query) &&
    requestedList.sessions?.length === 0 &&
    requestedList.counts?.active === 0;
  const closed = useSessionList(isIdle ? { ...query, state: "closed" } : query, idsInNeed);
  const list = isIdle ? closed : requestedList;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const table = useRowKeys();

  function select(sessionId: string, isSelected: boolean): void {
    const next = new Set(selected);
    if (isSelected) next.add(sessionId);
    else next.delete(sessionId);
    setSelected(next);
  }

  function renderRow(session: Session) {
    return (
      <SessionRow
        key={session.session_id}
        session={session}
        needsYou={idsInNeed.has(session.session_id)}
        isSelected={selected.has(session.session_id)}
        onSelect={(isSelected) => select(session.session_id, isSelected)}
      />
    );
  }

  const { sessions } = list;
  // Waits for the attention items, because sessions that need this person come first. Rows shown earlier would move.
  const isLoading = (sessions === undefined && !list.problem) || attention.status === "loading";
  const isEmptyMesh = sessions?.length === 0 && list.counts?.active === 0 && list.counts.closed === 0;
  return (
    <section aria-label="All sessions">
      {!isLoading && isIdle && <FirstSteps isFirst={isEmptyMesh} onStart={onStart} />}
      {!isEmptyMesh && (
        <SessionFilters query={query} counts={list.counts ?? null} teams={list.teams} onChange={change} />
      )}
      {selected.size > 0 && <SelectionBar selected={selected} onClear={() => setSelected(new Set())} />}

      {!isLoading && isIdle && !isEmptyMesh && (
        <h2 className="mb-2 text-lg font-semibold">Recently closed</h2>
      )}
      <div ref={table} className={isEmptyMesh && !list.problem ? undefined : "rounded-lg border"}>
        {list.problem && (
          <ProblemAlert
            problem={list.problem}
            title="Couldn't load sessions."
            isStale={sessions !== undefined}
            onRetry={list.refresh}
            className="m-3"
          />
        )}
        {isLoading && <SessionsSkeleton />}
        {!isLoading && sessions?.length === 0 && !isEmptyMesh && (
          <NoneFound
            words={isNarrowed(query) ? "No sessions match these filters" : `No ${query.state} sessions`}
            onShowAll={() => change({ state: "all", q: "", team: "", needs: false })}
          />
        )}
        {!isLoading && sessions && sessions.length > 0 && (
          <SessionColumns>
            {sessions.map(renderRow)}
            {list.next && (
              <MoreSessions
                key={JSON.stringify(query)}
                next={list.next}
                shownIds={new Set(sessions.map(({ session_id }) => session_id))}
                renderRow={renderRow}
              />
            )}
          </SessionColumns>
        )}
      </div>
    </section>
  );
}

/**
 * Registers the shortcuts. `j` and `k`, or the arrow keys inside the list, move between titles. `x` selects the row, and Enter
 * follows the focused link.
 */
function useRowKeys(): RefObject<HTMLDivElement | null> {
  const table = useRef<HTMLDivElement>(null);
  const group = "Sessions";
  useShortcut("j", () => moveAlong(table.current, 1), { label: "Next session", group });
  useShortcut("k", () => moveAlong(table.current, -1), { label: "Previous session", group });
  useShortcut("x", () => selectRow(table.current), { label: "Select or deselect session", group });
  useEffect(() => {
    const element = table.current;
    const onKey = (event: KeyboardEvent) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      if (findRow(event.target) !== null && moveAlong(element, step)) event.preventDefault();
    };
    element?.addEventListener("keydown", onKey);
    return () => element?.removeEventListener("keydown", onKey);
  }, []);
  return table;
}

/** Moves the focus by `step` rows, or to the first row if the focus is outside the list. Returns false if the list is empty. */
function moveAlong(table: HTMLElement | null, step: number): boolean {
  const links = [...(table?.querySelectorAll<HTMLElement>("[data-session-link]") ?? [])];
  const row = findRow(document.activeElement);
  const index = links.findIndex((link) => row?.contains(link));
  const next = index < 0 ? links[0] : links[Math.max(0, Math.min(links.length - 1, index + step))];
  next?.focus();
  return next !== undefined;
}

/** Toggles the checkbox of the focused row. Returns false if no row has the focus. */
function selectRow(table: HTMLElement | null): boolean {
  const row = findRow(document.activeElement);
  if (row === null || !table?.contains(row)) return false;
  row.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
  return true;
}

function findRow(element: EventTarget | null): HTMLElement | null {
  return element instanceof HTMLElement ? element.closest("tr") : null;
}

const defaults = parseSessionQuery(() => null);

/** Returns the query from the URL and a function that changes it. Default values are left out of the URL. */
function useSessionQuery(): [SessionQuery, (change: Partial<SessionQuery>) => void] {
  const params = useQuery();
  const change = useCallback((changes: Partial<SessionQuery>) => {
    const values = Object.entries(changes).map(([name, value]): [string, string | null] => {
      if (typeof value === "boolean") return [name, value ? "1" : null];
      return [name, value === defaults[name as keyof SessionQuery] ? null : value];
    });
    setQuery(Object.fromEntries(values), { replace: true });
  }, []);
  return [parseSessionQuery((name) => params.get(name)), change];
}
