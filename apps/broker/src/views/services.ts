import type { DocumentServices } from "../document/services.js";
import type { ViewHooks } from "./hooks.js";

/** The services of what is read over all the others. */
export interface ViewServices extends DocumentServices {
  readonly hooks: ViewHooks<ViewServices>;
  /** The certificate, in PEM, that the broker serves TLS with at this moment; null where it does not. */
  readonly certificate: () => { readonly cert: string; readonly keyPin: string | null } | null;
}
