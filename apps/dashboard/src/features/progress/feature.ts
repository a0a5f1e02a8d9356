import { ListChecks } from "lucide-react";
import { createContentProbe } from "@/parts/content-probe";
import type { Feature } from "@/parts/feature";

export const needs = ["audit"];
/** The route files in `app/` that belong to this feature. */
export const stubs = ["progress/page.tsx", "sessions/[id]/progress/page.tsx"];

export const progress: Feature = {
  navItems: [
    {
      href: "/progress",
      label: "Progress",
      Icon: ListChecks,
      letter: "p",
      visibility: "used",
      probe: createContentProbe({
        name: "list_progress",
        input: { limit: 1 },
        on: ["progress"],
        hasAny: ({ entries }) => entries.length > 0,
      }),
    },
  ],
  sessionTabs: [
    {
      label: "Progress",
      path: "/progress",
      keys: "5",
      showsMesh: true,
      countItems: ({ progress_entries }) => progress_entries,
    },
  ],
};
