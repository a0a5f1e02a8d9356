import type { ViewServices } from "../../views/services.js";
import type { Records } from "./records.js";

/** The services that hash and sign records. */
export interface SealServices extends ViewServices {
  readonly records: Records;
}
