/**
 * The only module of the CLI that imports the broker's code: its types, the code shared with runners, and on
 * demand the whole broker.
 */

export type { Broker, BrokerOptions, Log } from "@merkle/broker";
export { lockFolder } from "@merkle/broker/runner";

/** Loads the whole broker, which takes longer than most commands run. */
export const loadBroker = () => import("@merkle/broker");
