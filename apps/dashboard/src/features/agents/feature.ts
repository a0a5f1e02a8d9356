import { Bot } from "lucide-react";
import { lazyHelper } from "@/core/lazy-part";
import type { Feature } from "@/parts/feature";

export const needs = ["checkouts"];

/** The route files in `app/` that belong to this feature. */
export const stubs = ["agents/page.tsx"];

export const agents: Feature = {
  navItems: [{ href: "/agents", label: "Agents", Icon: Bot, letter: "a", visibility: "always" }],
  session: { RosterFacts: lazyHelper(() => import("./roster-facts"), "RosterFacts") },
};
