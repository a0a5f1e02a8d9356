import { Search } from "lucide-react";
import type { Feature } from "@/parts/feature";

/** The route files in `app/` that belong to this feature. */
export const stubs = ["search/page.tsx"];

export const search: Feature = {
  navItems: [{ href: "/search", label: "Search", Icon: Search, visibility: "phone" }],
  loadPalette: () => import("./palette"),
};
