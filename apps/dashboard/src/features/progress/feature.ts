import { ListChecks } from "lucide-react";
import type { Feature } from "@/parts/feature";
import { look } from "@/parts/look";

export const needs = ["audit"];
/** The route files in `app/` that belong to this feature. */
export const stubs = ["progress/page.tsx", "sessions/[id]/progress/page.tsx"];

export const progress: Feature = {
  places: [
    {
      href: "/progress",
      label: "Progress",
      Icon: ListChecks,
      letter: "p",
      shown: "used",
      look: look({
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
      place: "/progress",
      keys: "5",
      ofMesh: true,
      countOf: ({ progress_entries }) => progress_entries,
    },
  ],
};
