import { deleteUnusedSourceTexts } from "@merkle/db";
import type { Feature } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { listSources, readSource } from "./read-source.js";
import type { SourceServices } from "./services.js";

export { keepFileText, readFileText } from "./file-text.js";
export type { SourceServices } from "./services.js";
export { refuseOtherSource, requireSourcePath, toFile } from "./source-path.js";
export { createSources, noSources, type Sources, type SourcesOptions } from "./sources.js";

/** A job may have begun with a text and not have written its result yet. */
const sourceTextDays = 2;

/** Files that topics, proposals and perspectives are about. */
export const sourcesFeature = {
  name: "sources",
  needs: [],
  handlers: {
    list_sources: listSources,
    read_source: readSource,
  },
  purge: { source_texts: (db) => deleteUnusedSourceTexts(db, sourceTextDays) },
} satisfies Feature<SourceServices & Services>;
