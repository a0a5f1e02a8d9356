import { BookMarked } from "lucide-react";
import type { Feature } from "@/parts/feature";
import { look } from "@/parts/look";

/** The route files in `app/` that belong to this feature. */
export const stubs = ["memory/page.tsx", "sessions/[id]/memory/page.tsx"];

export const memory: Feature = {
  places: [
    {
      href: "/memory",
      label: "Memory",
      Icon: BookMarked,
      letter: "m",
      shown: "used",
      look: look({
        name: "list_memory",
        input: { limit: 1 },
        on: ["memory"],
        hasAny: ({ memories }) => memories.length > 0,
      }),
    },
  ],
  sessionTabs: [
    { label: "Memory", place: "/memory", keys: "4", ofMesh: true, countOf: ({ memories }) => memories },
  ],
};
