import { lazy } from "react";

/** These are loaded when they are first shown: most who come here only read. */
export const SectionEditor = lazy(async () => ({
  default: (await import("@/document/section-editor")).SectionEditor,
}));
export const DocumentEditor = lazy(async () => ({
  default: (await import("@/document/document-editor")).DocumentEditor,
}));
export const DocumentHistory = lazy(async () => ({
  default: (await import("@/document/document-history")).DocumentHistory,
}));
export const CompareView = lazy(async () => ({
  default: (await import("@/document/compare-view")).CompareView,
}));
export const DocumentOutline = lazy(async () => ({
  default: (await import("./document-outline")).DocumentOutline,
}));
export const AppendNote = lazy(async () => ({
  default: (await import("@/document/append-note")).AppendNote,
}));
export const DiscardDraft = lazy(async () => ({
  default: (await import("@/document/discard-draft")).DiscardDraft,
}));
export const SourceTopics = lazy(async () => ({
  default: (await import("@/work/topics/source-topics")).SourceTopics,
}));
export const TopicsButton = lazy(async () => ({
  default: (await import("@/work/topics/topics-button")).TopicsButton,
}));
export const OpenProposals = lazy(async () => ({
  default: (await import("@/work/proposals/open-proposals")).OpenProposals,
}));
export const ProposalReview = lazy(async () => ({
  default: (await import("@/work/proposals/proposal-review")).ProposalReview,
}));
export const PerspectivePane = lazy(async () => ({
  default: (await import("@/work/perspectives/perspective-pane")).PerspectivePane,
}));
