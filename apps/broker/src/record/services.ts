import type { DocumentServices } from "../document/services.js";
import type { Records } from "./records.js";
import type { Archives } from "./storage/archives.js";

/** The services that hash and sign records. */
export interface RecordServices extends DocumentServices {
  readonly records: Records;
  readonly archives: Archives;
}
