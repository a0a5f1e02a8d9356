"use client";

import type { Proposal, ProposalInFull } from "@merkle/wire";
import type { ReactNode } from "react";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { toCompareParam } from "@/document/use-version-param";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { useKeptProposalText } from "./use-kept-proposal-text";
import { useNextRevision } from "./use-proposals";

/** The decision on a proposal, who made it, and the result. */
export function ProposalOutcome({ proposal }: { readonly proposal: ProposalInFull }) {
  const { proposal_id, remark, accepted_version, base_version } = proposal;
  const next = useNextRevision(proposal);
  const [unsavedText, , forget] = useKeptProposalText(proposal_id, "");
  return (
    <footer className="sticky bottom-0 grid gap-2 border-t bg-background px-3 py-2">
      <p role="status" className="font-medium">
        <Decided proposal={proposal} />
      </p>
      {next && next.status !== "open" && (
        <p>
          Revision {next.revision}: <Decided proposal={next} />
        </p>
      )}
      {remark !== null && (
        <blockquote dir="auto" className="border-s-2 ps-3 break-words whitespace-pre-wrap">
          {remark}
        </blockquote>
      )}
      {unsavedText !== "" && (
        <div role="note" className="flex flex-wrap items-center gap-2 text-sm">
          <span>Your edit was not used. It is still saved in this browser.</span>
          <CopyButton text={unsavedText} contentName="your edit" />
          <Button variant="ghost" size="sm" onClick={forget}>
            Discard
          </Button>
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        {next && (
          <Button onClick={() => setQuery({ proposal: String(next.proposal_id) })}>
            {next.status === "open" ? "Review" : "See"} revision {next.revision}
          </Button>
        )}
        {accepted_version !== null && (
          <Button
            variant="outline"
            onClick={() =>
              setQuery({
                proposal: null,
                compare: toCompareParam({ from: accepted_version - 1, to: accepted_version }),
              })
            }
          >
            Show changes in v{accepted_version}
          </Button>
        )}
        <Button variant="outline" onClick={() => setQuery({ proposal: null })}>
          Show current text
        </Button>
        {base_version === null && proposal.accepted_commit !== null && (
          <CopyButton text={proposal.accepted_commit} contentName="commit" />
        )}
      </div>
    </footer>
  );
}

function Decided({ proposal }: { proposal: Proposal }) {
  const { decided_by, decided_at } = proposal;
  return (
    <>
      {statusTexts[proposal.status](proposal)}
      {decided_by !== null && (
        <>
          {" "}
          by <bdi>{decided_by}</bdi>
        </>
      )}{" "}
      {decided_at !== null && <TimeText at={decided_at} className="font-normal text-muted-foreground" />}
    </>
  );
}

const statusTexts: Readonly<Record<Proposal["status"], (proposal: Proposal) => ReactNode>> = {
  open: () => "Open",
  accepted: ({ accepted_version, accepted_commit }) =>
    accepted_version === null
      ? `Accepted as commit ${accepted_commit?.slice(0, 12)}`
      : `Accepted as v${accepted_version}`,
  rejected: () => "Rejected",
  returned: () => "Sent back for changes",
  replaced: () => "Replaced by a newer revision",
};
