"use client";

import type { ProposalInFull } from "@merkle/wire";
import { toSourceHref } from "@merkle/wire";
import { X } from "lucide-react";
import { PageLink } from "@/components/page-link";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { LayoutSwitch } from "@/document/layout-switch";
import { DiffCounts } from "@/document/version-changes";
import { describeRevision } from "@/sessions/source";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";

/** The head of a proposal: its author, topic, base and remark. */
export function ProposalHead({ proposal }: { readonly proposal: ProposalInFull }) {
  const { proposal_id, revision, job_id, proposed_by, proposed_at, note } = proposal;
  return (
    <header className="grid gap-1.5 border-b px-3 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 font-semibold">
          Proposal {proposal_id}
          {revision > 1 && <Badge variant="outline">revision {revision}</Badge>}
          <DiffCounts added={proposal.added} removed={proposal.removed} />
        </h3>
        <LayoutSwitch />
        <Button variant="ghost" size="icon" onClick={() => setQuery({ proposal: null })}>
          <X aria-hidden />
          <span className="sr-only">Close proposal</span>
        </Button>
      </div>
      <p className="text-sm text-muted-foreground">
        <span className="text-foreground">
          {proposed_by === null ? "The agent" : <bdi>{proposed_by}</bdi>}
          {job_id !== null && ` of job ${job_id}`}
        </span>{" "}
        <TimeText at={proposed_at} /> · <Answers proposal={proposal} />
        <Base proposal={proposal} />
      </p>
      {note.trim() !== "" && (
        <blockquote aria-label="Note" className="max-h-40 overflow-y-auto border-s-2 border-input ps-3">
          <MarkdownText text={note} />
        </blockquote>
      )}
    </header>
  );
}

function Answers({ proposal }: { proposal: ProposalInFull }) {
  const { kind, topic_id } = proposal;
  if (kind === "conclusion") return <>for the conclusion</>;
  return (
    <>
      answers{" "}
      <PageLink
        href={toSourceHref(proposal, { topic: topic_id })}
        className="text-link underline underline-offset-2"
      >
        comment {topic_id}
      </PageLink>
    </>
  );
}

function Base({ proposal }: { proposal: ProposalInFull }) {
  const { base_version, base_sha, current_version, status } = proposal;
  const base = base_version ?? base_sha;
  if (base === null) return null;
  return (
    <>
      {" "}
      · based on <span className="tabular-nums">{describeRevision(base)}</span>
      {status === "open" &&
        (proposal.stale ? (
          <span className="text-warning">
            ; {current_version === null ? "the text has changed" : `the text is now v${current_version}`}
          </span>
        ) : (
          ", the newest text"
        ))}
    </>
  );
}
