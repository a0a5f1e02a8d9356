import { BookMarked } from "lucide-react";
import { createContentProbe } from "@/parts/content-probe";
import type { Feature } from "@/parts/feature";

/** The route files in `app/` that belong to this feature. */
export const stubs = ["memory/page.tsx", "sessions/[id]/memory/page.tsx"];

export const memory: Feature = {
  navItems: [
    {
      href: "/memory",
      label: "Memory",
      Icon: BookMarked,
      letter: "m",
      visibility: "used",
      probe: createContentProbe({
        name: "list_memory",
        input: { limit: 1 },
        on: ["memory"],
        hasAny: ({ memories }) => memories.length > 0,
      }),
    },
  ],
  sessionTabs: [
    { label: "Memory", path: "/memory", keys: "4", showsMesh: true, countItems: ({ memories }) => memories },
  ],
};
