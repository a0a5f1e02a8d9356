import type { SealServices } from "../seal/feature.js";
import type { Archives } from "./storage/archives.js";

export interface ArchiveServices extends SealServices {
  readonly archives: Archives;
}
