import type { JobServices } from "../work/jobs/services.js";
import type { AlertKey } from "./alerts/alert-key.js";

/** The services of what is read over all the others. */
export interface ViewServices extends JobServices {
  readonly alertKey: AlertKey;
  /** The certificate, in PEM, that the broker serves TLS with at this moment; null where it does not. */
  readonly certificate: () => { readonly cert: string } | null;
}
