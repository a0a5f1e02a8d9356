import { lazyPart } from "@/core/lazy-part";
import { DocumentPaneSkeleton } from "@/document/document-skeleton";

export const loadDocumentPane = () => import("@/document/document-pane");

/** The document's pane. Its code loads while the page reads the session, so that the feed does not wait for it. */
export const DocumentPane = lazyPart(loadDocumentPane, "DocumentPane", <DocumentPaneSkeleton />);
