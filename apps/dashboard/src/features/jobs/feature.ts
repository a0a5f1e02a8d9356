import { lazyPart } from "@/core/lazy-part";
import { createContentProbe } from "@/parts/content-probe";
import type { Feature } from "@/parts/feature";

/** The route files in `app/` that belong to this feature. */
export const stubs = ["sessions/[id]/jobs/page.tsx"];

export const jobs: Feature = {
  sessionTabs: [
    {
      label: "Jobs",
      path: "/jobs",
      keys: "7",
      showsMesh: true,
      createProbe: (session_id) =>
        createContentProbe({
          name: "list_jobs",
          input: { session_id, limit: 1 },
          on: ["jobs"],
          hasAny: (answer) => answer.jobs.length > 0,
        }),
    },
  ],
  loadSettings: () => import("./settings"),
  session: { ConclusionDraft: lazyPart(() => import("./conclusion-draft"), "ConclusionDraft") },
  attention: {
    job_failed: {
      Preview: lazyPart(() => import("./failed-job"), "FailedJob"),
      Action: lazyPart(() => import("./failed-job"), "RetryJob"),
    },
  },
};
