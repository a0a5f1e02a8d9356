import { ShieldQuestionMark } from "lucide-react";
import type { Feature } from "@/parts/feature";
import { createContentProbe } from "@/parts/look";

/** The route files in `app/` that belong to this feature. */
export const stubs = ["approvals/page.tsx"];

export const approvals: Feature = {
  navItems: [
    {
      href: "/approvals",
      label: "Approvals",
      Icon: ShieldQuestionMark,
      letter: "o",
      visibility: "used",
      probe: createContentProbe({
        name: "list_approvals",
        input: {},
        on: ["person"],
        hasAny: ({ waiting, ended }) => waiting.length + ended.length > 0,
        needsHuman: true,
      }),
    },
  ],
};
