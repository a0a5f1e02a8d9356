import { countJobsInFlight } from "@merkle/db";
import type { OutputOf } from "@merkle/wire";
import type { Context } from "../../sessions/context.js";
import type { JobServices } from "./services.js";

/** Who runs jobs beside this broker, and how many wait and run in this mesh (DASH-277). */
export async function getRunner({ services }: Context<JobServices>): Promise<OutputOf<"get_runner">> {
  const { orm, meshId } = services.database;
  const [here, counts] = await Promise.all([services.jobs.describe(), countJobsInFlight(orm, meshId)]);
  return { here, elsewhere: services.jobs.terms.remoteRunners, ...counts };
}
