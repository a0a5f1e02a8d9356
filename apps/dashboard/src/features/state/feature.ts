import type { Feature } from "@/parts/feature";

/** The route files in `app/` that belong to this feature. */
export const stubs = ["sessions/[id]/state/page.tsx"];

export const state: Feature = {
  sessionTabs: [{ label: "State", path: "/state", keys: "3", countItems: ({ state_keys }) => state_keys }],
};
