import { ShieldCheck } from "lucide-react";
import { setQuery } from "@/core/address/address";
import { lazyHelper } from "@/core/lazy-part";
import { createContentProbe } from "@/parts/content-probe";
import type { Feature } from "@/parts/feature";

export const needs = ["export"];
/** The route files in `app/` that belong to this feature. */
export const stubs = ["verify/page.tsx"];

export const verify: Feature = {
  navItems: [
    {
      href: "/verify",
      label: "Verify",
      title: "Verify a record",
      Icon: ShieldCheck,
      letter: "v",
      visibility: "used",
      probe: createContentProbe({
        name: "list_sessions",
        input: { status: "closed", limit: 1 },
        on: ["sessions"],
        hasAny: (answer) => answer.sessions.length > 0,
      }),
      isUsedByVisit: true,
    },
  ],
  messageActions: [
    { label: "Proof", Icon: ShieldCheck, run: ({ sequence }) => setQuery({ proof: String(sequence) }) },
  ],
  session: { Always: lazyHelper(() => import("./session-record"), "SessionRecord") },
};
