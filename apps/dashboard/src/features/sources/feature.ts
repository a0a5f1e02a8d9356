import { FileText } from "lucide-react";
import { createContentProbe } from "@/parts/content-probe";
import type { Feature } from "@/parts/feature";

export const needs = ["jobs", "topics"];
/** The route files in `app/` that belong to this feature. */
export const stubs = ["sources/page.tsx"];

export const sources: Feature = {
  navItems: [
    {
      href: "/sources",
      label: "Files",
      Icon: FileText,
      letter: "f",
      visibility: "used",
      probe: createContentProbe({
        name: "list_sources",
        input: { names_only: true },
        on: [],
        hasAny: ({ roots }) => roots.length > 0,
      }),
    },
  ],
  loadPalette: () => import("./palette"),
};
