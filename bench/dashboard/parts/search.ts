import type { DashboardPart } from "../measurement.js";
import { stageFeed } from "../staged-feed.js";

const queries =
  "token,issuer gateway,migration staging,rollback,client review,merge,deploy window,key,auth/0007,first".split(
    ",",
  );
const rounds = 5;

/** The search of the whole mesh, as its page asks the broker. */
export const search: DashboardPart = {
  name: "search",
  async measure({ broker, quick }) {
    const messages = quick ? 10_000 : 100_000;
    const perSession = messages / 10;
    for (let session = 1; session <= 10; session += 1)
      await stageFeed(broker, `Search ${session}`, perSession);
    const took: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const query of queries) {
        const begunAt = performance.now();
        await broker.client.call("search", { query });
        took.push(performance.now() - begunAt);
      }
    }
    took.sort((a, b) => a - b);
    const p95 = took[Math.floor((took.length - 1) * 0.95)] ?? Number.NaN;
    return [{ name: `search in ${messages} messages, p95`, value: p95, unit: "ms", budget: { atMost: 300 } }];
  },
};
