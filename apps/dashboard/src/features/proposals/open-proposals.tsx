"use client";

import { setQuery } from "@/core/address/address";
import { DiffCounts } from "@/document/version-changes";
import { describeRevision } from "@/sessions/source";
import { Button } from "@/ui/button";
import { useOpenProposals } from "./use-proposals";

/** A list of the proposals that await a decision, shown above the text. */
export function OpenProposals() {
  const proposals = useOpenProposals();
  if (proposals.length === 0) return null;
  return (
    <ul aria-label="Proposals" className="max-h-28 shrink-0 divide-y overflow-y-auto border-b bg-surface">
      {proposals.map(({ base_version, base_sha, ...proposal }) => {
        const base = base_version ?? base_sha;
        return (
          <li key={proposal.proposal_id} className="flex min-h-9 items-center gap-2 px-3 py-1 text-sm">
            <span aria-hidden className="text-warning">
              ▲
            </span>
            <p className="min-w-0 flex-1 truncate">
              <span className="me-1.5 font-medium">Proposal {proposal.proposal_id}</span>
              <DiffCounts added={proposal.added} removed={proposal.removed} />
              <span className="text-muted-foreground">
                {proposal.kind === "conclusion" ? " · conclusion" : ` · comment ${proposal.topic_id}`}
                {base !== null && ` · based on ${describeRevision(base)}`}
                {proposal.stale && ", not the newest"}
              </span>
            </p>
            <Button
              variant="outline"
              size="sm"
              onClick={() =>
                setQuery({ proposal: String(proposal.proposal_id), topic: null, edit: null, doc: null })
              }
            >
              Review<span className="sr-only"> proposal {proposal.proposal_id}</span>
            </Button>
          </li>
        );
      })}
    </ul>
  );
}
