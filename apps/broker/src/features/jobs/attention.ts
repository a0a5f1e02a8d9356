import { listFailedJobs } from "@merkle/db";
import { toFact } from "../../views/fact.js";
import type { AttentionSource } from "../../views/hooks.js";
import { describeFailure } from "./outcome.js";

export const failedJobs: AttentionSource = {
  async list({ database }, scope) {
    const rows = await listFailedJobs(database.orm, scope);
    return rows.map((each) =>
      toFact("job_failed", each, each.number, {
        number: each.number,
        text: `${each.jobKind}: ${describeFailure({ ...each, kind: each.jobKind }) ?? ""}`,
      }),
    );
  },
};
