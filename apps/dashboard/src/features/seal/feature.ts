import { lazyPart } from "@/core/lazy-part";
import type { Feature } from "@/parts/feature";

export const needs = ["checkouts", "export", "usage", "verify"];
/** The route files in `app/` that belong to this feature. */
export const stubs = ["sessions/[id]/audit/page.tsx"];

export const seal: Feature = {
  sessionTabs: [
    { label: "Audit", path: "/audit", keys: "6", countItems: ({ status }) => status === "closed" },
  ],
  session: {
    Closed: lazyPart(() => import("./closed-session"), "ClosedLinks"),
    conclusion: {
      Actions: lazyPart(() => import("./closed-session"), "SaveAsHtml"),
      Mark: lazyPart(() => import("./closed-session"), "Mark"),
      Seal: lazyPart(() => import("./closed-session"), "Seal"),
    },
  },
};
