import type { OutputOf } from "@merkle/wire";
import { useEffect } from "react";
import { useSession } from "@/components/session/session-context";
import { type Read, useRead } from "@/lib/broker/use-read";

export type Proposal = OutputOf<"list_proposals">["proposals"][number];
export type ProposalInFull = OutputOf<"get_proposal">;

/** A proposal with what it would change, kept up to date with the text that it is for. */
export function useProposal(proposalId: number): Read<ProposalInFull> {
  const { session } = useSession();
  const read = useRead("get_proposal", { proposal_id: proposalId }, { on: ["proposals"] });
  const { refresh } = read;
  // What it changes, and whether it can be accepted as it is, goes by the newest version.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is what is waited for.
  useEffect(() => refresh(), [session.document_version, refresh]);
  return read;
}

/** The proposals that wait for somebody to decide, newest first. */
export function useOpenProposals(sessionId: string): readonly Proposal[] {
  const { data } = useRead(
    "list_proposals",
    { session_id: sessionId, status: "open" },
    { on: ["proposals"] },
  );
  return data?.proposals ?? [];
}

/** The newest revision that came after a proposal. */
export function useNextRevision({ status, topic_id, revision }: Proposal): Proposal | undefined {
  const { data } = useRead("list_proposals", status === "open" || topic_id === null ? null : { topic_id }, {
    on: ["proposals"],
  });
  return data?.proposals.find((each) => each.revision > revision);
}
