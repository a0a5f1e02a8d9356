import { FileText } from "lucide-react";
import type { Feature } from "@/parts/feature";
import { look } from "@/parts/look";

export const needs = ["jobs", "topics"];
/** The route files in `app/` that belong to this feature. */
export const stubs = ["sources/page.tsx"];

export const sources: Feature = {
  places: [
    {
      href: "/sources",
      label: "Files",
      Icon: FileText,
      letter: "f",
      shown: "used",
      look: look({
        name: "list_sources",
        input: { names_only: true },
        on: [],
        hasAny: ({ roots }) => roots.length > 0,
      }),
    },
  ],
  palette: () => import("./palette"),
};
