import type { ViewServices } from "../../views/services.js";
import type { Sources } from "./sources.js";

export interface SourceServices extends ViewServices {
  /** The files that this mesh may work on. */
  readonly sources: Sources;
}

export interface StartedSources {
  /** Returns the files that a mesh may work on. */
  readonly getSources: (meshId: string) => Sources;
}
