import type { SealServices } from "../seal/feature.js";
import type { RecordPage } from "./record-page.js";

export interface ExportServices extends SealServices {
  /** The page that a record can be put into; null where the broker serves none, or not yet. */
  readonly recordPage: () => RecordPage | null;
}
