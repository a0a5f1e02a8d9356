import type { Feature } from "@/parts/feature";

/** Its stubs in `app/`. */
export const stubs = ["sessions/[id]/state/page.tsx"];

export const state: Feature = {
  sessionTabs: [{ label: "State", place: "/state", keys: "3", countOf: ({ state_keys }) => state_keys }],
};
