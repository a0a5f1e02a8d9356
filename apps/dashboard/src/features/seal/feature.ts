import { lazyPart } from "@/core/lazy-part";
import type { Feature } from "@/parts/feature";

export const needs = ["export", "usage", "verify"];
/** The route files in `app/` that belong to this feature. */
export const stubs = ["sessions/[id]/audit/page.tsx"];

export const seal: Feature = {
  sessionTabs: [{ label: "Audit", place: "/audit", keys: "6", countOf: ({ status }) => status === "closed" }],
  session: {
    Closed: lazyPart(() => import("./closed-links"), "ClosedLinks"),
    conclusion: {
      Actions: lazyPart(() => import("./on-conclusion"), "SaveAsHtml"),
      Mark: lazyPart(() => import("./on-conclusion"), "Mark"),
      Seal: lazyPart(() => import("./on-conclusion"), "Seal"),
    },
  },
};
