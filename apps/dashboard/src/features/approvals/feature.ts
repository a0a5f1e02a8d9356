import { ShieldQuestionMark } from "lucide-react";
import { lazyPart } from "@/core/lazy-part";
import { createContentProbe } from "@/parts/content-probe";
import type { Feature } from "@/parts/feature";

/** The route files in `app/` that belong to this feature. */
export const stubs = ["approvals/page.tsx"];

export const approvals: Feature = {
  attention: {
    approval: {
      Line: lazyPart(() => import("./approval-line"), "ApprovalLine"),
      Preview: lazyPart(() => import("./approval-of-item"), "ApprovalOfItem"),
    },
  },
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
