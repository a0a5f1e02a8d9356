import type { DocumentServices } from "../document/services.js";
import type { ViewHooks } from "./hooks.js";

/** The services that the views use to read across sessions and features. */
export interface ViewServices extends DocumentServices {
  readonly hooks: ViewHooks<ViewServices>;
  /** Returns the current TLS certificate in PEM and its key pin. Null without TLS. */
  readonly findCertificate: () => { readonly cert: string; readonly keyPin: string | null } | null;
}
