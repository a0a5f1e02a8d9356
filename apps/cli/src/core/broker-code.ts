/**
 * The CLI's core imports the broker's code only through this module: types, the code shared with runners and,
 * on demand, the whole broker.
 */

export type { BrokerOptions, Log, PageBuild, StartedBroker } from "@merkle/broker";
export { lockFolder } from "@merkle/broker/runner";

/** Loads the whole broker. Loaded on demand, because loading it takes longer than most commands run. */
export const loadBroker = () => import("@merkle/broker");
