import { lazyPart } from "@/core/lazy-part";
import type { Feature } from "@/parts/feature";

export const proposals: Feature = {
  text: {
    Above: lazyPart(() => import("./open-proposals"), "OpenProposals"),
    Review: lazyPart(() => import("./proposal-review"), "ProposalReview"),
  },
  attention: { proposal: { Preview: lazyPart(() => import("./proposed-change"), "ProposedChange") } },
};
