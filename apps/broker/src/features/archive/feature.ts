import type { Feature } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { archiveSession } from "./archive-session.js";
import { requireRestored } from "./require-restored.js";
import type { ArchiveServices } from "./services.js";
import { unarchiveSession } from "./unarchive-session.js";

export type { ArchiveServices } from "./services.js";
export { type ArchiveOptions, type ArchiveTarget, parseArchiveTarget } from "./storage/archive-target.js";
export { type Archives, createArchives } from "./storage/archives.js";
export { createObjectStore } from "./storage/object-store.js";

/** Concluded sessions in object storage. */
export const archiveFeature = {
  name: "archive",
  needs: ["export", "import", "seal"],
  handlers: {
    archive_session: archiveSession,
    unarchive_session: unarchiveSession,
  },
  personData: { requireErasable: requireRestored },
} satisfies Feature<ArchiveServices & Services>;
