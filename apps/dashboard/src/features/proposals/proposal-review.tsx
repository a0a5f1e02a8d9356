"use client";

import { X } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { ProblemAlert } from "@/components/problem-alert";
import { setQuery } from "@/core/address/address";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { usePreference } from "@/core/preferences/use-preference";
import { DocumentSkeleton } from "@/document/document-skeleton";
import { useSource } from "@/sessions/source-context";
import { linesOfHunks, textWith } from "@/text/diff/hunk-lines";
import { Button } from "@/ui/button";
import { ProposalActions } from "./proposal-actions";
import { ProposalEditor } from "./proposal-editor";
import { ProposalHead } from "./proposal-head";
import { ProposalHunk } from "./proposal-hunk";
import { ProposalOutcome } from "./proposal-outcome";
import { type ProposalInFull, useProposal } from "./use-proposals";

/** The changes that somebody proposes, place by place, and what can be decided about them. */
export function ProposalReview({ proposalId }: { readonly proposalId: number }) {
  const { source } = useSource();
  const { data, problem, refresh } = useProposal(proposalId);
  return (
    <section aria-label={`Proposal ${proposalId}`} className="flex min-h-full flex-col">
      {problem && (
        <ProblemAlert
          className="m-3"
          title={`Couldn't load proposal ${proposalId}.`}
          problem={problem}
          isStale={data !== undefined}
          onRetry={refresh}
        />
      )}
      {!data && problem && (
        <Button variant="outline" className="mx-3 self-start" onClick={() => setQuery({ proposal: null })}>
          <X aria-hidden /> Back to the {source.kind}
        </Button>
      )}
      {!data && !problem && <DocumentSkeleton />}
      {data && <Review proposal={data} onDecided={refresh} />}
    </section>
  );
}

interface ReviewProps {
  readonly proposal: ProposalInFull;
  readonly onDecided: () => void;
}

const noneLeft: ReadonlySet<string> = new Set();

function Review({ proposal, onDecided }: ReviewProps) {
  const { content, hunks, left: rest, status } = proposal;
  const [layout] = usePreference("diff");
  // Changes that are left out are kept instead of those that are chosen, so that one that was not seen yet is never left out
  // unasked.
  const [left, setLeft] = useState(noneLeft);
  const [isEdited, setEdited] = useState(false);
  // Known from the answer to the decision, before the proposal was read again.
  const [accepted, setAccepted] = useState<{ readonly version: number | null } | null>(null);
  const list = useRef<HTMLDivElement>(null);
  // Of one that was taken in part what was not taken is what there is to see: the rest stands in the text.
  const isTaken = accepted !== null && status === "open";
  const notTaken = useMemo(
    () => (isTaken ? hunks.filter(({ id }) => left.has(id)) : rest),
    [isTaken, hunks, left, rest],
  );
  const shown = notTaken.length > 0 ? notTaken : hunks;
  const lines = useMemo(() => linesOfHunks(content ?? "", shown), [content, shown]);
  const chosen = useMemo(
    () => new Set(hunks.map(({ id }) => id).filter((id) => !left.has(id))),
    [hunks, left],
  );
  const isOpen = status === "open" && !isTaken;
  useHunkKeys(list);

  function choose(id: string, isChosen: boolean): void {
    const next = new Set(left);
    if (isChosen) next.delete(id);
    else next.add(id);
    setLeft(next);
  }

  return (
    <>
      <ProposalHead proposal={proposal} />
      {isEdited && content !== null ? (
        <ProposalEditor
          proposal={proposal}
          start={textWith(content, hunks, chosen)}
          onDecided={onDecided}
          onClose={() => setEdited(false)}
        />
      ) : (
        <>
          {content === null && (
            <p className="p-4 text-muted-foreground">
              The text of this proposal was removed together with the version it was based on.
            </p>
          )}
          {notTaken.length > 0 && (
            <p role="note" className="border-b bg-surface px-3 py-2 text-sm">
              {notTaken.length === 1 ? "1 change was" : `${notTaken.length} changes were`} not accepted.
              Remaining proposal, {describeBase(proposal.accepted_version ?? accepted?.version)}.
            </p>
          )}
          {content !== null && hunks.length === 0 && (
            <p className="p-4 text-muted-foreground">The text already says this.</p>
          )}
          <div ref={list} className="flex-1">
            {shown.map((hunk) => (
              <ProposalHunk
                key={hunk.id}
                hunk={hunk}
                lines={lines.get(hunk.id) ?? []}
                layout={layout}
                // A single change is accepted or it is not.
                isChosen={isOpen && hunks.length > 1 && !proposal.stale ? chosen.has(hunk.id) : null}
                onChoose={(isChosen) => choose(hunk.id, isChosen)}
              />
            ))}
          </div>
          {isTaken ? null : isOpen ? (
            <ProposalActions
              proposal={proposal}
              chosen={chosen}
              onEdit={() => setEdited(true)}
              onAccepted={(version) => setAccepted({ version })}
              onDecided={onDecided}
            />
          ) : (
            <ProposalOutcome proposal={proposal} />
          )}
        </>
      )}
    </>
  );
}

/** What was taken made a version of a document, and a commit of a file. */
function describeBase(version: number | null | undefined): string {
  return version == null ? "based on the committed file" : `based on v${version}`;
}

/** `j` and `k` go from change to change, as they go from message to message in the feed. */
function useHunkKeys(list: React.RefObject<HTMLElement | null>): void {
  function go(step: 1 | -1): boolean {
    if (document.activeElement?.closest("[role=feed]")) return false;
    const hunks = [...(list.current?.querySelectorAll<HTMLElement>("[data-hunk]") ?? [])];
    const at = hunks.findIndex((hunk) => hunk.contains(document.activeElement));
    const next = hunks[at === -1 ? (step === 1 ? 0 : hunks.length - 1) : at + step];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
    return true;
  }
  useShortcut("j", () => go(1), { label: "Next change in the proposal", group: "Document" });
  useShortcut("k", () => go(-1), { label: "Previous change in the proposal", group: "Document" });
}
