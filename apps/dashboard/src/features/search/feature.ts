import { Search } from "lucide-react";
import type { Feature } from "@/parts/feature";

/** Its stubs in `app/`. */
export const stubs = ["search/page.tsx"];

export const search: Feature = {
  places: [{ href: "/search", label: "Search", Icon: Search, shown: "phone" }],
  palette: () => import("./palette"),
};
