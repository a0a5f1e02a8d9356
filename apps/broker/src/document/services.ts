import type { FeedServices } from "../feed/services.js";

/** A session's document. */
export interface DocumentRef {
  readonly meshId: string;
  readonly sessionId: string;
}

/** The services of the document. */
export interface DocumentServices extends FeedServices {
  /** Called after a document was written, for what follows from its text without anybody's waiting for it. */
  readonly onDocumentWritten: (document: DocumentRef) => void;
}
