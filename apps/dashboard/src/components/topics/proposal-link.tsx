import { PageLink } from "@/components/page-link";
import { Button } from "@/components/ui/button";
import { type Placed, placeHref } from "@/lib/sources/place-href";

/** Leads to the review of a proposal for what something else is about, too. */
export function ProposalLink({ about, proposalId }: { about: Placed; proposalId: number }) {
  return (
    <Button asChild variant="outline" size="sm" className="mt-1">
      <PageLink href={placeHref(about, { proposal: proposalId })}>Review proposal {proposalId}</PageLink>
    </Button>
  );
}
