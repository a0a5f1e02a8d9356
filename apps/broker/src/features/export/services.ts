import type { SealServices } from "../seal/feature.js";
import type { RecordPage } from "./record-page.js";

export interface ExportServices extends SealServices {
  /** Returns the page template for records, or null if the broker serves none or has not built it yet. */
  readonly recordPage: () => RecordPage | null;
}
