import { lazyPart } from "@/core/lazy-part";

/** Parts that are loaded when they are first shown: most people who open a document only read it. */
export const SectionEditor = lazyPart(() => import("./section-editor"), "SectionEditor");
export const DocumentEditor = lazyPart(() => import("./document-editor"), "DocumentEditor");
export const DocumentHistory = lazyPart(() => import("./document-history"), "DocumentHistory");
export const CompareView = lazyPart(() => import("./compare-view"), "CompareView");
export const DocumentOutline = lazyPart(() => import("./document-outline"), "DocumentOutline");
export const AppendNote = lazyPart(() => import("./append-note"), "AppendNote");
export const DiscardDraft = lazyPart(() => import("./discard-draft"), "DiscardDraft");
