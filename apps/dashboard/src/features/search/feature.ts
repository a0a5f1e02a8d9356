import { Search } from "lucide-react";
import type { Feature } from "@/parts/feature";

/** The route files in `app/` that belong to this feature. */
export const stubs = ["search/page.tsx"];

export const search: Feature = {
  places: [{ href: "/search", label: "Search", Icon: Search, shown: "phone" }],
  palette: () => import("./palette"),
};
