"use client";

import type { StateEntry, StateScope } from "@merkle/wire";
import { Plus } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { SkeletonRows } from "@/components/list-page";
import { PanelBoundary } from "@/components/panel-boundary";
import { ProblemAlert } from "@/components/problem-alert";
import { setQuery } from "@/core/address/address";
import { useQueryParam } from "@/core/address/use-query-param";
import { useTypedParam } from "@/core/address/use-typed-param";
import { usePaletteAction } from "@/core/keyboard/use-palette-action";
import { lazyPart } from "@/core/lazy-part";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Input } from "@/ui/input";
import { Segmented } from "@/ui/segmented";
import { StateDetails } from "./state-details";
import { StateTable } from "./state-table";
import { useChangedKeys, useStateEntries } from "./use-state-entries";

const EditStateDialog = lazyPart(() => import("./edit-state-dialog"), "EditStateDialog");
const DeleteStateDialog = lazyPart(() => import("./delete-state-dialog"), "DeleteStateDialog");

/** The change that the user is making. A null key means a new key. */
type PendingEdit =
  | {
      readonly kind: "edit";
      readonly key: string | null;
      readonly entry: StateEntry | null;
      readonly value?: unknown;
    }
  | { readonly kind: "delete"; readonly entry: StateEntry };

/** The shared state of a session or mesh: each key with its value, author and time, kept up to date. */
export function StatePanel() {
  return (
    <PanelBoundary title="State">
      <State />
    </PanelBoundary>
  );
}

function State() {
  const { session, at, isObserver } = useSession();
  const [scopeParam, setScope] = useQueryParam("scope");
  const scope: StateScope = scopeParam === "mesh" ? "mesh" : "session";
  const [prefix, text, setText] = useTypedParam("prefix");
  const [after] = useQueryParam("after");
  const [selected, setSelected] = useQueryParam("key");
  const [pendingEdit, setPendingEdit] = useState<PendingEdit | null>(null);
  const filterId = useId();

  const { data, problem, refresh } = useStateEntries({
    sessionId: session.session_id,
    scope,
    prefix,
    after,
  });
  const changedKeys = useChangedKeys(data?.entries, `${scope} ${prefix} ${after ?? ""}`);
  const canEdit = !session.session_closed && at === null && !isObserver;
  usePaletteAction(
    canEdit
      ? {
          id: "new-key",
          label: "New state key…",
          keywords: ["fact", "value"],
          run: () => setPendingEdit({ kind: "edit", key: null, entry: null }),
        }
      : null,
  );
  const isListed = data?.entries.some((entry) => entry.key === selected) ?? true;
  const renderDetails = (key: string) => (
    <StateDetails
      key={`${scope} ${key}`}
      address={{ sessionId: session.session_id, scope, key }}
      onSetBack={canEdit ? (entry, value) => setPendingEdit({ kind: "edit", key, entry, value }) : undefined}
      onClose={() => setSelected(null)}
    />
  );

  return (
    <section aria-label="State" className="flex min-w-0 flex-col gap-3 p-4">
      <div className="flex flex-wrap items-center gap-2">
        {!isObserver && (
          <Segmented
            label="Scope"
            value={scope}
            onChange={(value) => switchScope(value, setScope)}
            options={[
              { value: "session", label: "This session" },
              { value: "mesh", label: "All sessions" },
            ]}
          />
        )}
        <label htmlFor={filterId} className="sr-only">
          Filter keys by prefix
        </label>
        <Input
          id={filterId}
          type="search"
          className="w-56 font-mono text-sm"
          placeholder="Key prefix…"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <p aria-live="off" className="text-sm text-muted-foreground tabular-nums">
          {data && describeCount(data.entries.length, data.next_cursor !== null)}
        </p>
        {canEdit && (
          <Button
            className="ml-auto max-md:hidden"
            onClick={() => setPendingEdit({ kind: "edit", key: null, entry: null })}
          >
            <Plus aria-hidden />
            New key
          </Button>
        )}
      </div>
      <ReadOnlyReason isClosed={session.session_closed} isPast={at !== null} />
      {problem && (
        <ProblemAlert
          title="Couldn't load state."
          problem={problem}
          isStale={data !== undefined}
          onRetry={refresh}
        />
      )}
      {selected !== null && !isListed && renderDetails(selected)}
      {data === undefined ? (
        problem === undefined && <SkeletonRows label="Loading state" height="h-11" />
      ) : data.entries.length === 0 ? (
        <Nothing scope={scope} prefix={prefix} hasMoreBefore={after !== null} />
      ) : (
        <StateTable
          entries={data.entries}
          changedKeys={changedKeys}
          selected={selected}
          renderDetails={renderDetails}
          onSelect={(key) => setSelected(key === selected ? null : key, { replace: true })}
          onEdit={canEdit ? (entry) => setPendingEdit({ kind: "edit", key: entry.key, entry }) : undefined}
          onDelete={canEdit ? (entry) => setPendingEdit({ kind: "delete", entry }) : undefined}
        />
      )}
      {data && (after !== null || data.next_cursor !== null) && (
        <nav aria-label="Pages of keys" className="flex gap-2">
          {after !== null && (
            <Button variant="outline" onClick={() => setQuery({ after: null })}>
              Back to the first keys
            </Button>
          )}
          {data.next_cursor !== null && (
            <Button variant="outline" onClick={() => setQuery({ after: data.next_cursor })}>
              Next keys
            </Button>
          )}
        </nav>
      )}
      {pendingEdit?.kind === "edit" && (
        <EditStateDialog
          address={{ sessionId: session.session_id, scope, key: pendingEdit.key }}
          entry={pendingEdit.entry}
          {...("value" in pendingEdit ? { proposed: pendingEdit.value } : {})}
          onClose={() => setPendingEdit(null)}
          onSaved={refresh}
        />
      )}
      {pendingEdit?.kind === "delete" && (
        <DeleteStateDialog
          address={{ sessionId: session.session_id, scope, key: pendingEdit.entry.key }}
          entry={pendingEdit.entry}
          onClose={() => setPendingEdit(null)}
          onDeleted={refresh}
        />
      )}
    </section>
  );
}

/** Switches the scope and clears the selection, because the other scope has other keys. */
function switchScope(scope: StateScope, setScope: (value: string | null) => void): void {
  setScope(scope === "mesh" ? "mesh" : null);
  setQuery({ key: null, after: null }, { replace: true });
}

function describeCount(count: number, hasMore: boolean): string {
  if (hasMore) return `first ${count} keys`;
  return count === 1 ? "1 key" : `${count} keys`;
}

/** Explains why the state is read-only, if it is. */
function ReadOnlyReason({ isClosed, isPast }: { isClosed: boolean; isPast: boolean }): ReactNode {
  if (!isClosed && !isPast) return null;
  return (
    <p className="text-sm text-muted-foreground">
      {isClosed
        ? "The session is closed: its state is read-only."
        : "This is the current state. Earlier values are in each key’s history."}
    </p>
  );
}

function Nothing({
  scope,
  prefix,
  hasMoreBefore,
}: {
  scope: StateScope;
  prefix: string;
  hasMoreBefore: boolean;
}) {
  if (hasMoreBefore) return <p className="py-6 text-center text-muted-foreground">No more keys.</p>;
  if (prefix !== "") {
    return (
      <Empty>
        <EmptyTitle>No keys begin with “{prefix}”</EmptyTitle>
        <Button variant="outline" onClick={() => setQuery({ prefix: null })}>
          Show all keys
        </Button>
      </Empty>
    );
  }
  return (
    <Empty>
      <EmptyTitle>{scope === "mesh" ? "No shared facts yet" : "No facts yet"}</EmptyTitle>
      <EmptyDescription>
        {scope === "mesh"
          ? "Facts shared by all sessions, such as which environment is frozen."
          : "Facts the whole session needs. Agents set them with set_state; you use New key."}
      </EmptyDescription>
    </Empty>
  );
}
