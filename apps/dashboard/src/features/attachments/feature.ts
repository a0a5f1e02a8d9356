import { lazyHelper, lazyPart } from "@/core/lazy-part";
import type { Feature } from "@/parts/feature";

const load = () => import("./parts");

/** Files that messages carry. */
export const attachments: Feature = {
  session: { Always: lazyHelper(load, "SessionFiles"), MenuItem: lazyPart(load, "FilesItem") },
  files: { OfMessage: lazyPart(load, "MessageFiles"), OfComposer: lazyPart(load, "ComposerFiles") },
};
