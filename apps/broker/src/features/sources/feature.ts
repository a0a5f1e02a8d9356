import { deleteUnusedSourceTexts } from "@merkle/db";
import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { listSources, readSource } from "./read-source.js";
import type { SourceServices, StartedSources } from "./services.js";
import { createSources, noSources, type Sources, type SourcesOptions } from "./sources.js";

export { keepFileText, readFileText } from "./file-text.js";
export type { SourceServices, StartedSources } from "./services.js";
export { requireOwnSource, requireSourcePath, toFile } from "./source-path.js";
export type { Sources, SourcesOptions } from "./sources.js";

/**
 * How long a file's text is kept after a job has read it, because the job may still have to write its result.
 */
const sourceTextDays = 2;

export interface FileOptions {
  /** The folders that contain files to work on, and the author of commits in these folders. */
  readonly agent?: Pick<SourcesOptions, "author" | "roots"> | undefined;
  /** The `PATH` for finding `git`. Default: the system's folders. */
  readonly searchPath?: string | undefined;
}

/** Files that topics, proposals and perspectives are about. */
export const sourcesFeature = {
  name: "sources",
  needs: [],
  handlers: {
    list_sources: listSources,
    read_source: readSource,
  },
  purge: { source_texts: (db) => deleteUnusedSourceTexts(db, sourceTextDays) },
  opensFiles: ({ agent }) => Object.keys(agent?.roots ?? {}).length > 0,
  start({ options, home, database, stops }: StartParts<FileOptions>): StartedSources {
    const { roots, author } = options.agent ?? {};
    // The roots are configured only for the main mesh, because anyone may have created the other meshes.
    const ofMain = createSources({ roots, author, home, searchPath: options.searchPath });
    stops.add("sources", ofMain.stop);
    return { getSources: (meshId) => (meshId === database.meshId ? ofMain : noSources) };
  },
  inMesh: ({ getSources }, meshId): { sources: Sources } => ({ sources: getSources(meshId) }),
} satisfies Feature<SourceServices & StartedSources & Services, FileOptions>;
