import type { FeedServices } from "../feed/services.js";
import type { DocumentHooks } from "./hooks.js";

export interface DocumentServices extends FeedServices {
  readonly hooks: DocumentHooks<DocumentServices>;
}
