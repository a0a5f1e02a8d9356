import type { FeedServices } from "../feed/services.js";
import type { DocumentHooks } from "./hooks.js";

/** The services of the document. */
export interface DocumentServices extends FeedServices {
  readonly hooks: DocumentHooks<DocumentServices>;
}
