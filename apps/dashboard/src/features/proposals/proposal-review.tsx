"use client";

import type { ProposalInFull } from "@merkle/wire";
import { X } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { ProblemAlert } from "@/components/problem-alert";
import { setQuery } from "@/core/address/address";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { usePreference } from "@/core/preferences/use-preference";
import { DocumentSkeleton } from "@/document/document-skeleton";
import { useSource } from "@/sessions/source-context";
import { Button } from "@/ui/button";
import { buildText, listHunkLines } from "./hunk-lines";
import { ProposalActions } from "./proposal-actions";
import { ProposalEditor } from "./proposal-editor";
import { ProposalHead } from "./proposal-head";
import { ProposalHunk } from "./proposal-hunk";
import { ProposalOutcome } from "./proposal-outcome";
import { useProposal } from "./use-proposals";

/** The hunks of a proposal, and the buttons to decide on it. */
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

const noIds: ReadonlySet<string> = new Set();

function Review({ proposal, onDecided }: ReviewProps) {
  const { content, hunks, left: remainingHunks, status } = proposal;
  const [layout] = usePreference("diff");
  // Stores the hunks that are left out, not those chosen, so that a hunk that arrives later is included by default.
  const [excludedIds, setExcludedIds] = useState(noIds);
  const [isEditing, setEditing] = useState(false);
  // Set from the reply to the decision, before the proposal is read again.
  const [accepted, setAccepted] = useState<{ readonly version: number | null } | null>(null);
  const list = useRef<HTMLDivElement>(null);
  // After a partial acceptance, shows only the hunks that were left out. The accepted ones are already in the text.
  const isAccepted = accepted !== null && status === "open";
  const unacceptedHunks = useMemo(
    () => (isAccepted ? hunks.filter(({ id }) => excludedIds.has(id)) : remainingHunks),
    [isAccepted, hunks, excludedIds, remainingHunks],
  );
  const visibleHunks = unacceptedHunks.length > 0 ? unacceptedHunks : hunks;
  const lines = useMemo(() => listHunkLines(content ?? "", visibleHunks), [content, visibleHunks]);
  const chosenIds = useMemo(
    () => new Set(hunks.map(({ id }) => id).filter((id) => !excludedIds.has(id))),
    [hunks, excludedIds],
  );
  const isOpen = status === "open" && !isAccepted;
  useHunkKeys(list);

  function choose(id: string, isChosen: boolean): void {
    const next = new Set(excludedIds);
    if (isChosen) next.delete(id);
    else next.add(id);
    setExcludedIds(next);
  }

  return (
    <>
      <ProposalHead proposal={proposal} />
      {isEditing && content !== null ? (
        <ProposalEditor
          proposal={proposal}
          start={buildText(content, hunks, chosenIds)}
          onDecided={onDecided}
          onClose={() => setEditing(false)}
        />
      ) : (
        <>
          {content === null && (
            <p className="p-4 text-muted-foreground">
              The text of this proposal was removed together with the version it was based on.
            </p>
          )}
          {unacceptedHunks.length > 0 && (
            <p role="note" className="border-b bg-surface px-3 py-2 text-sm">
              {unacceptedHunks.length === 1 ? "1 change was" : `${unacceptedHunks.length} changes were`} not
              accepted. Remaining proposal, {describeBase(proposal.accepted_version ?? accepted?.version)}.
            </p>
          )}
          {content !== null && hunks.length === 0 && (
            <p className="p-4 text-muted-foreground">The text already says this.</p>
          )}
          <div ref={list} className="flex-1">
            {visibleHunks.map((hunk) => (
              <ProposalHunk
                key={hunk.id}
                hunk={hunk}
                lines={lines.get(hunk.id) ?? []}
                layout={layout}
                // A proposal with a single hunk is accepted or rejected as a whole.
                isChosen={isOpen && hunks.length > 1 && !proposal.stale ? chosenIds.has(hunk.id) : null}
                onChoose={(isChosen) => choose(hunk.id, isChosen)}
              />
            ))}
          </div>
          {isAccepted ? null : isOpen ? (
            <ProposalActions
              proposal={proposal}
              chosen={chosenIds}
              onEdit={() => setEditing(true)}
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

/** Describes the text that a proposal is based on. A file has no version number. */
function describeBase(version: number | null | undefined): string {
  return version == null ? "based on the committed file" : `based on v${version}`;
}

/** Registers `j` and `k` to move between hunks, as they do between messages in the feed. */
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
