import { lazy } from "react";

/** What is loaded when it is asked for: most who come here only read. */
export const SectionEditor = lazy(async () => ({
  default: (await import("./section-editor")).SectionEditor,
}));
export const DocumentEditor = lazy(async () => ({
  default: (await import("./document-editor")).DocumentEditor,
}));
export const DocumentHistory = lazy(async () => ({
  default: (await import("./document-history")).DocumentHistory,
}));
export const CompareView = lazy(async () => ({ default: (await import("./compare-view")).CompareView }));
export const DocumentOutline = lazy(async () => ({
  default: (await import("./document-outline")).DocumentOutline,
}));
export const AppendNote = lazy(async () => ({ default: (await import("./append-note")).AppendNote }));
export const DiscardDraft = lazy(async () => ({ default: (await import("./discard-draft")).DiscardDraft }));
export const SourceTopics = lazy(async () => ({
  default: (await import("@/components/topics/source-topics")).SourceTopics,
}));
export const TopicsButton = lazy(async () => ({
  default: (await import("@/components/topics/topics-button")).TopicsButton,
}));
export const OpenProposals = lazy(async () => ({
  default: (await import("@/components/proposals/open-proposals")).OpenProposals,
}));
export const ProposalReview = lazy(async () => ({
  default: (await import("@/components/proposals/proposal-review")).ProposalReview,
}));
export const PerspectivePane = lazy(async () => ({
  default: (await import("@/components/perspectives/perspective-pane")).PerspectivePane,
}));
