import { inject } from "vitest";
import { type CampaignReport, runCampaign } from "./campaign.js";
import type { FaultName } from "./faults.js";
import { type BrokerStorage, makeEmbeddedStorage, makeProxiedStorage, makeServedStorage } from "./places.js";
import { createRandom } from "./random.js";

export interface ShuffledOptions {
  readonly where: "embedded" | "proxied";
  /** How many times each fault happens. */
  readonly faults: Readonly<Partial<Record<FaultName, number>>>;
  readonly deadlineMs: number;
}

/** Runs a campaign with its faults in random order, and removes all its files and databases afterwards. `FAULTS_SEED` repeats an earlier order. */
export async function runShuffled({ where, faults, deadlineMs }: ShuffledOptions): Promise<CampaignReport> {
  const seed = Number(process.env["FAULTS_SEED"] ?? Date.now() % 1_000_000);
  // The cast is safe: the type allows no other keys.
  const names = Object.keys(faults) as FaultName[];
  const all = names.flatMap((name) => Array.from({ length: faults[name] ?? 0 }, () => name));
  const place = await makePlace(where);
  const options = { place, seed, deadlineMs, faults: createRandom(seed).shuffle(all) };
  try {
    const report = await runCampaign(options);
    await place.requireStopped();
    return report;
  } finally {
    await place.remove();
  }
}

/** Creates the storage for a campaign. Nodes share a PostgreSQL server that is independent of the brokers. */
function makePlace(where: ShuffledOptions["where"]): Promise<BrokerStorage> {
  if (where === "proxied") return makeProxiedStorage();
  return inject("bus") === undefined ? makeEmbeddedStorage() : makeServedStorage();
}
