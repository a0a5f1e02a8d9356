import type { RecordServices } from "../../record/services.js";
import type { Sources } from "./sources.js";

export interface SourceServices extends RecordServices {
  /** The files that this mesh may work on. */
  readonly sources: Sources;
}
