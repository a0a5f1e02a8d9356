import type { BrokerClient } from "./broker/broker-client.js";
import type { BrokerOptions } from "./core/broker-code.js";
import type { Feature, FeatureEntry } from "./feature.js";
import { features } from "./features.js";
import type { CheckConcluded } from "./feed/tail/run-tail.js";
import type { CreateExtension } from "./mcp/extension.js";
import type { Config } from "./settings/config.js";

/** Returns the options that features add when a broker starts on this home. */
export async function readBrokerOptions(config: Config): Promise<Partial<BrokerOptions>> {
  let options: Partial<BrokerOptions> = {};
  for (const { brokerOptions } of await loadFeatures())
    options = { ...options, ...(await brokerOptions?.(config)) };
  return options;
}

/** Loads the features' extensions of the MCP server. */
export async function loadExtensions(): Promise<readonly CreateExtension[]> {
  const all = await loadFeatures();
  return Promise.all(all.flatMap(({ loadExtension }) => loadExtension?.() ?? []));
}

/** Returns the first problem that a feature finds with a conclusion, or null. */
export const checkConcluded: CheckConcluded = async (message, where) => {
  for (const feature of await loadFeatures()) {
    const problem = await feature.checkConcluded?.(message, where);
    if (problem) return problem;
  }
  return null;
};

/** Lists the files that features offer as completions of `<root/path>`. */
export async function listFiles(broker: Pick<BrokerClient, "call">): Promise<string[]> {
  const lists = (await loadFeatures()).map((feature) => feature.listFiles?.(broker) ?? []);
  return (await Promise.all(lists)).flat();
}

async function loadFeatures(): Promise<readonly Feature[]> {
  const entries: readonly FeatureEntry[] = await Promise.all(Object.values(features).map((load) => load()));
  return entries.map(({ feature }) => feature);
}
