import { inject } from "vitest";
import { type CampaignReport, runCampaign } from "./campaign.js";
import type { FaultName } from "./faults.js";
import { makeEmbeddedPlace, makeProxiedPlace, makeServedPlace, type Place } from "./places.js";
import { createRandom } from "./random.js";

export interface ShuffledOptions {
  readonly where: "embedded" | "proxied";
  /** How often each fault is to happen. */
  readonly faults: Readonly<Partial<Record<FaultName, number>>>;
  readonly deadlineMs: number;
}

/** Runs a campaign whose faults come in an order of chance; `FAULTS_SEED` repeats one. Leaves nothing behind. */
export async function runShuffled({ where, faults, deadlineMs }: ShuffledOptions): Promise<CampaignReport> {
  const seed = Number(process.env["FAULTS_SEED"] ?? Date.now() % 1_000_000);
  const names = Object.keys(faults) as FaultName[]; // The keys that the type allows.
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

/** Nodes share a PostgreSQL that is none of theirs. */
function makePlace(where: ShuffledOptions["where"]): Promise<Place> {
  if (where === "proxied") return makeProxiedPlace();
  return inject("bus") === undefined ? makeEmbeddedPlace() : makeServedPlace();
}
