import { lazyPart } from "@/core/lazy-part";
import type { Feature } from "@/parts/feature";

/** Files that messages carry. */
export const attachments: Feature = {
  files: {
    OfMessage: lazyPart(() => import("./message-files"), "MessageFiles"),
    OfComposer: lazyPart(() => import("./composer-files"), "ComposerFiles"),
  },
};
