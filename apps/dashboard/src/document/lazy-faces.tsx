import { lazyPart } from "@/core/lazy-part";
import { DocumentSkeleton } from "./document-skeleton";

/** Components that load when first shown, because most people only read documents. */
export const SectionEditor = lazyPart(() => import("./section-editor"), "SectionEditor");
export const DocumentEditor = lazyPart(
  () => import("./document-editor"),
  "DocumentEditor",
  <DocumentSkeleton />,
);
export const DocumentHistory = lazyPart(
  () => import("./document-history"),
  "DocumentHistory",
  <DocumentSkeleton />,
);
export const CompareView = lazyPart(() => import("./compare-view"), "CompareView", <DocumentSkeleton />);
export const DocumentOutline = lazyPart(() => import("./document-outline"), "DocumentOutline");
export const AppendNote = lazyPart(() => import("./append-note"), "AppendNote");
export const DiscardDraft = lazyPart(() => import("./discard-draft"), "DiscardDraftButton");
export const RestoreVersion = lazyPart(() => import("./restore-version"), "RestoreVersion");
