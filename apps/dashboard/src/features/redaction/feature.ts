import { lazyPart } from "@/core/lazy-part";
import type { Feature } from "@/parts/feature";

export const redaction: Feature = {
  removal: {
    OfMessage: lazyPart(() => import("./removal-dialogs"), "RemoveMessageDialog"),
    OfVersion: lazyPart(() => import("./removal-dialogs"), "RemoveVersionDialog"),
  },
};
