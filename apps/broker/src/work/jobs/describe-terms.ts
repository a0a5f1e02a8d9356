import type { OutputOf } from "@merkle/wire";
import { type AgentOptions, timeoutsUsualMs } from "./agent-options.js";
import type { Runner } from "./runner.js";

export type TermsFacts = NonNullable<OutputOf<"get_runner">["here"]>;

/** How a broker has jobs run, for people: by what, how many at once, and for how long. */
export async function describeTerms({
  runner,
  maxConcurrentJobs = 1,
  timeoutsMs,
  author,
}: AgentOptions & { readonly runner: Runner }): Promise<TermsFacts> {
  const { conclude, incorporate, perspective } = { ...timeoutsUsualMs, ...timeoutsMs };
  return {
    runner: (await runner.describe?.()) ?? null,
    running_max: maxConcurrentJobs,
    timeouts_s: {
      conclude: conclude / 1_000,
      incorporate: incorporate / 1_000,
      perspective: perspective / 1_000,
    },
    author: author ? `${author.name} <${author.email}>` : null,
  };
}
