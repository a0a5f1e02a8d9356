"use client";

import type { OutputOf } from "@merkle/wire";
import { FileDown, Link2, MessagesSquare, Printer, ShieldCheck } from "lucide-react";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { PanelBoundary } from "@/components/panel-boundary";
import { RefusalNote } from "@/components/refusal-note";
import { TimeText } from "@/components/time-text";
import { copyText } from "@/core/copy-text";
import { textOf } from "@/feed/store/message-text";
import { ExportLink } from "@/record/export-link";
import { HashText } from "@/record/hash-text";
import { LastPage, type Outcome } from "@/record/last-page";
import { type SessionFacts, useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { useToast } from "@/ui/toast-provider";
import { useConclusion } from "./conclusion-card";

/** The last page of a concluded session, at an address of its own: what one shows to somebody who was not there. */
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

/** So many decisions are shown; of more the newest. */
const decisionsMax = 100;

function Concluded() {
  const facts = useSession();
  const { session } = facts;
  const { session_id, slug } = session;
  const conclusion = useConclusion(session_id);
  const timeline = useRead("get_timeline", { session_id, buckets: 1 });
  const decisions = useRead("get_history", {
    session_id,
    types: ["chat"],
    kinds: ["decision"],
    limit: decisionsMax,
  });
  const seal = useRead("session_seal", { session_id });
  const problem = conclusion.problem ?? timeline.problem ?? decisions.problem ?? seal.problem;
  const sealed = seal.data?.seals[0];
  const outcome = toOutcome(facts, {
    conclusion: conclusion.data ?? null,
    timeline: timeline.data,
    decisions: decisions.data,
    root: sealed?.root ?? null,
  });
  return (
    <LastPage
      outcome={outcome}
      toMessage={(sequence) => (
        <PageLink href={`/sessions/${slug}?m=${sequence}`} className="text-link underline underline-offset-2">
          #{sequence}
        </PageLink>
      )}
      actions={<Actions slug={slug} />}
      seal={sealed ? <Seal sealed={sealed} slug={slug} /> : <p className="text-muted-foreground">Loading…</p>}
    >
      <RefusalNote refusal={problem ?? null} />
    </LastPage>
  );
}

interface Told {
  readonly conclusion: string | null;
  readonly timeline: OutputOf<"get_timeline"> | undefined;
  readonly decisions: OutputOf<"get_history"> | undefined;
  readonly root: string | null;
}

function toOutcome(
  { session, participants }: SessionFacts,
  { conclusion, timeline, decisions, root }: Told,
): Outcome {
  const said = new Map(timeline?.lanes.map(({ team_id, counts }) => [team_id, counts[0] ?? 0]));
  const made = decisions?.messages ?? [];
  return {
    title: session.title,
    description: session.description,
    createdAt: session.created_at,
    closedAt: session.closed_at,
    closedBy: timeline?.marks.find(({ kind }) => kind === "concluded")?.by ?? null,
    messages: session.last_sequence,
    documentVersion: session.document_version,
    conclusion,
    teams: participants.map(({ team_id, team_name, kind, colour }) => ({
      teamId: team_id,
      name: team_name,
      kind,
      colour,
      messages: timeline ? (said.get(team_id) ?? 0) : null,
    })),
    decisions: made.map((message) => ({
      sequence: message.sequence,
      by: message.from?.team ?? "",
      at: message.posted_at,
      text: textOf(message),
    })),
    hasOlderDecisions: decisions?.has_more ?? false,
    root,
  };
}

function Actions({ slug }: { readonly slug: string }) {
  const toast = useToast();

  async function copy(): Promise<void> {
    const address = new URL(`/sessions/${slug}/conclusion`, window.location.origin).href;
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
      <Button asChild variant="outline" size="sm">
        <ExportLink slug={slug} as="html">
          <FileDown aria-hidden /> Save as HTML
        </ExportLink>
      </Button>
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

function Seal({
  sealed: { root, at, size, key_id },
  slug,
}: {
  readonly sealed: OutputOf<"session_seal">["seals"][number];
  readonly slug: string;
}) {
  return (
    <div className="grid gap-1">
      <p className="text-muted-foreground">
        The broker signed {size === 1 ? "1 message" : `${size.toLocaleString("en-GB")} messages`} at{" "}
        <TimeText at={at} as="clock" className="tabular-nums" /> with key <HashText hash={key_id} />. Root:
      </p>
      <p>
        <HashText hash={root} whole />
      </p>
      <p className="mt-2 print:hidden">
        <Button asChild variant="outline" size="sm">
          <PageLink href={`/sessions/${slug}/audit?check=1`}>
            <ShieldCheck aria-hidden /> Verify here
          </PageLink>
        </Button>
      </p>
    </div>
  );
}
