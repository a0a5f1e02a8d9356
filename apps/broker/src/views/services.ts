import type { AlertKey } from "../core/alert-key.js";
import type { JobServices } from "../work/jobs/services.js";

/** The services of what is read over all the others. */
export interface ViewServices extends JobServices {
  readonly alertKey: AlertKey;
  /** The certificate, in PEM, that the broker serves TLS with at this moment; null where it does not. */
  readonly certificate: () => { readonly cert: string } | null;
}
