import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { archiveSession } from "./archive-session.js";
import { requireRestored } from "./require-restored.js";
import type { ArchiveServices } from "./services.js";
import { type ArchiveOptions, parseArchiveTarget } from "./storage/archive-target.js";
import { type Archives, createArchives } from "./storage/archives.js";
import { createObjectStore } from "./storage/object-store.js";
import { unarchiveSession } from "./unarchive-session.js";

export type { ArchiveServices } from "./services.js";
export type { ArchiveOptions } from "./storage/archive-target.js";

export interface ArchivingOptions {
  /** Object storage for concluded sessions (ARCHIVE-1). If not set, no session can be archived. */
  readonly archive?: ArchiveOptions | undefined;
}

/** Moves concluded sessions to object storage. */
export const archiveFeature = {
  name: "archive",
  needs: ["export", "import", "seal"],
  handlers: {
    archive_session: archiveSession,
    unarchive_session: unarchiveSession,
  },
  personData: { requireErasable: requireRestored },
  checkOptions({ archive }) {
    if (archive) parseArchiveTarget(archive);
  },
  start({ options, database, nodes, log, stops }: StartParts<ArchivingOptions>): { archives: Archives } {
    const store = options.archive ? createObjectStore(parseArchiveTarget(options.archive)) : null;
    const archives = createArchives({ database, nodes, store, log });
    stops.add("archives", archives.stop);
    return { archives };
  },
  tidyUp: ({ archives }) => archives.finish(),
} satisfies Feature<ArchiveServices & Services, ArchivingOptions>;
