import type { Feature } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import type { SourceServices } from "../sources/feature.js";
import { putPerspective } from "./put-perspective.js";
import {
  getPerspective,
  getSourcePerspective,
  listPerspectives,
  listSourcePerspectives,
} from "./read-perspectives.js";

export { readFileSource, readSource, toPerspective } from "./read-perspectives.js";

/** Perspectives: personas' readings of documents and files. */
export const perspectivesFeature = {
  name: "perspectives",
  needs: ["personas", "sources"],
  handlers: {
    list_perspectives: listPerspectives,
    get_perspective: getPerspective,
    put_perspective: putPerspective,
    list_source_perspectives: listSourcePerspectives,
    get_source_perspective: getSourcePerspective,
  },
} satisfies Feature<SourceServices & Services>;
