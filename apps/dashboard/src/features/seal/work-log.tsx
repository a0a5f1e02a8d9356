"use client";

import type { DocumentVersion, Message, ReportedCheckout } from "@merkle/wire";
import { FileText, type LucideIcon, MessageSquare, Zap } from "lucide-react";
import { toProblem } from "@/broker/problem";
import { ProblemAlert } from "@/components/problem-alert";
import { RemovedText } from "@/components/removed-text";
import { toCompareParam } from "@/document/use-version-param";
import { useVersions } from "@/document/use-versions";
import { VersionChanges } from "@/document/version-changes";
import { CheckoutLine, useCheckouts } from "@/features/checkouts/api";
import { useFeedState, useFeedStore } from "@/feed/pane/use-feed-store";
import { describeEvent } from "@/feed/store/describe-event";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { LogRow } from "./log-row";
import { LogSkeleton } from "./log-skeleton";
import { TeamSelect } from "./team-select";
import { describePost, findVersionsReach, mergeWork } from "./work";

/** What a team did, newest first and live: its branches, messages, tasks, other events and document versions. */
export function WorkLog({ team }: { readonly team: string }) {
  const { session } = useSession();
  const view = {
    sessionId: session.session_id,
    filter: { types: [], team, q: null, thread: null },
    at: null,
  };
  const { store } = useFeedStore(view, () => ({ at: "end", as: "kept" }));
  const { status, problem, window, older, newer } = useFeedState(store);
  const documents = useVersions(team);
  const { versions, hasMore: hasMoreVersions } = documents;
  const isLoadingVersions = documents.isLoading && versions.length === 0;
  const work = { messages: window.messages, readFrom: window.from, versions, hasMoreVersions };
  const items = mergeWork(work);
  const isWhole = window.from <= 1 && !hasMoreVersions;
  const open = () => void store.open({ at: "end", as: "kept" });

  function loadOlder(): void {
    // Loads more of the list that goes back less far.
    if (window.from > Math.max(1, findVersionsReach(work))) void store.loadOlder();
    else documents.showMore();
  }

  return (
    <section aria-labelledby="work-log" className="min-w-0">
      <header className="mb-2 flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="work-log" className="min-w-0 text-lg font-semibold break-words">
          What <bdi>{showHidden(team)}</bdi> did
        </h2>
        <TeamSelect team={team} />
      </header>
      <WorkCheckouts team={team} />
      {status === "failed" && (
        <ProblemAlert
          title="Couldn't load messages and events."
          problem={toProblem(problem)}
          onRetry={open}
          className="mb-2"
        />
      )}
      {newer.problem !== null && (
        <ProblemAlert
          title="Couldn't load newer messages and events."
          problem={toProblem(newer.problem)}
          isStale
          onRetry={open}
          className="mb-2"
        />
      )}
      {documents.problem && status !== "failed" && (
        <ProblemAlert
          title="Couldn't load document versions."
          problem={documents.problem}
          onRetry={documents.refresh}
          className="mb-2"
        />
      )}
      {(status === "opening" || (status === "ready" && isLoadingVersions)) && <LogSkeleton />}
      {status === "ready" && !isLoadingVersions && (
        <>
          {items.length === 0 ? (
            <Empty>
              <EmptyTitle>{isWhole ? "Nothing yet" : "Nothing loaded yet"}</EmptyTitle>
              <EmptyDescription>
                {isWhole
                  ? "Messages, tasks, other changes and document versions appear here."
                  : "None loaded so far. Older messages may match."}
              </EmptyDescription>
            </Empty>
          ) : (
            <ol aria-label="Work log, newest first" className="divide-y rounded-lg border">
              {items.map((item) =>
                item.kind === "message" ? (
                  <MessageRow key={item.message.id} message={item.message} />
                ) : (
                  <VersionRow key={`v${item.version.version}`} version={item.version} />
                ),
              )}
            </ol>
          )}
          <footer className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted-foreground">
            {!isWhole ? (
              <Button
                variant="outline"
                size="sm"
                disabled={older.loading || documents.isLoading}
                onClick={loadOlder}
              >
                {older.loading || documents.isLoading ? "Loading…" : "Older"}
              </Button>
            ) : (
              items.length > 0 && <span>Start of log</span>
            )}
            {older.problem !== null && (
              <span className="text-danger">Couldn't load older messages. Try again.</span>
            )}
          </footer>
        </>
      )}
    </section>
  );
}

/** The last reported checkout of each of the team's agents. */
function WorkCheckouts({ team }: { readonly team: string }) {
  const { session } = useSession();
  const checkouts = useCheckouts(session.session_id);
  const byPeer = new Map<string, ReportedCheckout>();
  for (const checkout of checkouts) {
    const isOfTeam = checkout.team.toLowerCase() === team.toLowerCase();
    if (isOfTeam && !byPeer.has(checkout.peer_id)) byPeer.set(checkout.peer_id, checkout);
  }
  if (byPeer.size === 0) return null;
  return (
    <ul aria-label="Branches" className="mb-3 grid gap-1">
      {[...byPeer.values()].map((checkout) => (
        <li key={checkout.peer_id} className="flex min-w-0">
          <CheckoutLine checkout={checkout} />
        </li>
      ))}
    </ul>
  );
}

function MessageRow({ message }: { readonly message: Message }) {
  const { session } = useSession();
  const { sequence, posted_at, type } = message;
  const Icon: LucideIcon = type === "system" ? Zap : MessageSquare;
  const { text, reason } =
    type === "system" ? describeEvent(message) : { text: describePost(message), reason: null };
  return (
    <LogRow
      Icon={Icon}
      at={posted_at}
      link={{ href: `/sessions/${session.slug}?m=${sequence}`, title: "Show in feed", text: `#${sequence}` }}
    >
      <p>{text}</p>
      {reason !== null && <p className="text-sm text-muted-foreground">{reason}</p>}
    </LogRow>
  );
}

function VersionRow({ version }: { readonly version: DocumentVersion }) {
  const { session } = useSession();
  const { version: number, written_by, written_at, redaction } = version;
  const compare = toCompareParam({ from: number - 1, to: number });
  return (
    <LogRow
      Icon={FileText}
      at={written_at}
      link={{
        href: `/sessions/${session.slug}/doc?${redaction ? `v=${number}` : `compare=${compare}`}`,
        title: redaction ? "Show the version" : "Show the changes",
        text: `v${number}`,
      }}
    >
      <p>
        <bdi>{showHidden(written_by)}</bdi> wrote document v{number}
      </p>
      {redaction ? <RemovedText redaction={redaction} /> : <VersionChanges version={number} />}
    </LogRow>
  );
}
