import { ListTodo } from "lucide-react";
import { lazyPart } from "@/core/lazy-part";
import { createContentProbe } from "@/parts/content-probe";
import type { Feature } from "@/parts/feature";

export const needs = ["checkouts"];

/** The route files in `app/` that belong to this feature. */
export const stubs = ["tasks/page.tsx", "sessions/[id]/tasks/page.tsx"];

export const tasks: Feature = {
  navItems: [
    {
      href: "/tasks",
      label: "Tasks",
      Icon: ListTodo,
      letter: "t",
      visibility: "used",
      probe: createContentProbe({
        name: "list_all_tasks",
        input: { limit: 1 },
        on: ["sessions"],
        hasAny: ({ total }) => total > 0,
      }),
    },
  ],
  sessionTabs: [
    {
      label: "Tasks",
      path: "/tasks",
      keys: "2",
      countItems: ({ unfinished_tasks }) => unfinished_tasks,
      createProbe: (session_id) =>
        createContentProbe({
          name: "list_tasks",
          input: { session_id, state: "all", limit: 1 },
          on: ["tasks"],
          hasAny: ({ total }) => total > 0,
        }),
    },
  ],
  session: { BesideFeed: lazyPart(() => import("./tasks-beside"), "TasksBeside") },
  loadPalette: () => import("./palette"),
};
