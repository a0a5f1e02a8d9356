"use client";

import type { OutputOf } from "@merkle/wire";
import { Link2, MessagesSquare, Printer } from "lucide-react";
import { useState } from "react";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { PanelBoundary } from "@/components/panel-boundary";
import { RefusalNote } from "@/components/refusal-note";
import { copyText } from "@/core/copy-text";
import { readMessageText } from "@/feed/store/message-text";
import { toSharedUrl } from "@/identity/to-shared-url";
import { Parts, useHasPart } from "@/parts/features-context";
import { type SessionFacts, useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { useToast } from "@/ui/toast-provider";
import { useConclusion } from "./conclusion-card";
import { LastPage, type SessionOutcome } from "./last-page";
import { useClosedBy } from "./use-closed-by";

/** A summary of a concluded session on one page, to show to people who did not take part. */
export function ConclusionView() {
  const { session } = useSession();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto print:overflow-visible">
      <PanelBoundary title="Summary">
        {session.status === "closed" ? <Concluded /> : <NotConcluded />}
      </PanelBoundary>
    </div>
  );
}

function NotConcluded() {
  const { session } = useSession();
  return (
    <Empty className="py-24">
      <EmptyTitle>This session is still open</EmptyTitle>
      <EmptyDescription>The outcome, participants and seal appear here once it's concluded.</EmptyDescription>
      <Button asChild variant="outline">
        <PageLink href={`/sessions/${session.slug}`}>Open session</PageLink>
      </Button>
    </Empty>
  );
}

/** If there are more decisions than this, the page shows only the newest. */
const decisionsMax = 100;

function Concluded() {
  const facts = useSession();
  const hasSeal = useHasPart(({ session: parts }) => parts?.conclusion?.Seal);
  const { session } = facts;
  const { session_id, slug } = session;
  const conclusion = useConclusion(session_id);
  const closedBy = useClosedBy(session);
  const [counts, setCounts] = useState<ReadonlyMap<string, number> | null>(null);
  const decisions = useRead("get_history", {
    session_id,
    types: ["chat"],
    kinds: ["decision"],
    limit: decisionsMax,
  });
  const problem = conclusion.problem ?? decisions.problem;
  const outcome = toOutcome(facts, {
    conclusion: conclusion.data ?? null,
    closedBy,
    counts,
    decisions: decisions.data,
  });
  return (
    <LastPage
      outcome={outcome}
      renderMessageLink={(sequence) => (
        <PageLink href={`/sessions/${slug}?m=${sequence}`} className="text-link underline underline-offset-2">
          #{sequence}
        </PageLink>
      )}
      actions={<Actions slug={slug} />}
      mark={<Parts select={({ session: parts }) => parts?.conclusion?.Mark} />}
      seal={hasSeal && <Parts select={({ session: parts }) => parts?.conclusion?.Seal} />}
    >
      <RefusalNote refusal={problem ?? null} />
      <Parts select={({ session: parts }) => parts?.MessageCounts} given={{ onCounts: setCounts }} />
    </LastPage>
  );
}

interface OutcomeParts {
  readonly conclusion: string | null;
  readonly closedBy: string | null;
  /** Number of messages by team id. Null while loading. */
  readonly counts: ReadonlyMap<string, number> | null;
  readonly decisions: OutputOf<"get_history"> | undefined;
}

function toOutcome(
  { session, participants }: SessionFacts,
  { conclusion, closedBy, counts, decisions }: OutcomeParts,
): SessionOutcome {
  const messages = decisions?.messages ?? [];
  return {
    title: session.title,
    description: session.description,
    createdAt: session.created_at,
    closedAt: session.closed_at,
    closedBy,
    messages: session.last_sequence,
    documentVersion: session.document_version,
    conclusion,
    teams: participants.map(({ team_id, team_name, kind, colour }) => ({
      teamId: team_id,
      name: team_name,
      kind,
      colour,
      messages: counts && (counts.get(team_id) ?? 0),
    })),
    decisions: messages.map((message) => ({
      sequence: message.sequence,
      by: message.from?.team ?? "",
      at: message.posted_at,
      text: readMessageText(message),
    })),
    hasOlderDecisions: decisions?.has_more ?? false,
  };
}

function Actions({ slug }: { readonly slug: string }) {
  const toast = useToast();

  async function copy(): Promise<void> {
    const address = toSharedUrl(`/sessions/${slug}/conclusion`);
    toast(
      (await copyText(address))
        ? { text: "Link copied." }
        : { text: `Couldn't copy: ${address}`, tone: "failed" },
    );
  }

  return (
    <>
      <Button size="sm" onClick={() => void copy()}>
        <Link2 aria-hidden /> Copy link
      </Button>
      <Parts select={({ session: parts }) => parts?.conclusion?.Actions} />
      <Button variant="outline" size="sm" onClick={() => window.print()}>
        <Printer aria-hidden /> Print
      </Button>
      <Button asChild variant="ghost" size="sm">
        <PageLink href={`/sessions/${slug}`}>
          <MessagesSquare aria-hidden /> Open session
        </PageLink>
      </Button>
    </>
  );
}
