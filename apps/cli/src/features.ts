import type { FeatureEntry } from "./feature.js";

/**
 * The entries of all features. To leave out a feature, delete its folder and its line here, then run `npm run
 * docs`.
 */
export const features = {
  agents: () => import("./features/agents/feature.js"),
  approvals: () => import("./features/approvals/feature.js"),
  archive: () => import("./features/archive/feature.js"),
  attachments: () => import("./features/attachments/feature.js"),
  brief: () => import("./features/brief/feature.js"),
  checkouts: () => import("./features/checkouts/feature.js"),
  demo: () => import("./features/demo/feature.js"),
  export: () => import("./features/export/feature.js"),
  import: () => import("./features/import/feature.js"),
  verify: () => import("./features/verify/feature.js"),
  seal: () => import("./features/seal/feature.js"),
  jobs: () => import("./features/jobs/feature.js"),
  memory: () => import("./features/memory/feature.js"),
  perspectives: () => import("./features/perspectives/feature.js"),
  "own-words": () => import("./features/own-words/feature.js"),
  "private-messages": () => import("./features/private-messages/feature.js"),
  progress: () => import("./features/progress/feature.js"),
  proposals: () => import("./features/proposals/feature.js"),
  redaction: () => import("./features/redaction/feature.js"),
  search: () => import("./features/search/feature.js"),
  sources: () => import("./features/sources/feature.js"),
  state: () => import("./features/state/feature.js"),
  tasks: () => import("./features/tasks/feature.js"),
  topics: () => import("./features/topics/feature.js"),
  usage: () => import("./features/usage/feature.js"),
  witness: () => import("./features/witness/feature.js"),
} satisfies Readonly<Record<string, () => Promise<FeatureEntry>>>;

/** Returns a feature, or undefined in a build without it. */
export async function findFeature(name: string): Promise<FeatureEntry["feature"] | undefined> {
  const entries: Readonly<Record<string, () => Promise<FeatureEntry>>> = features;
  return (await entries[name]?.())?.feature;
}
