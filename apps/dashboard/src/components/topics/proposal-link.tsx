import { PageLink } from "@/components/page-link";
import { useSession } from "@/components/session/session-context";
import { Button } from "@/components/ui/button";

/** Leads to the review of a proposal. */
export function ProposalLink({ proposalId }: { proposalId: number }) {
  const { session } = useSession();
  return (
    <Button asChild variant="outline" size="sm" className="mt-1">
      <PageLink href={`/sessions/${session.slug}/doc?proposal=${proposalId}`}>
        Review proposal {proposalId}
      </PageLink>
    </Button>
  );
}
