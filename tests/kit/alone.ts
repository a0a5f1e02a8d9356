import { startLocalBus } from "../../apps/broker/src/core/bus/bus.js";

/** What the parts of a broker are given that is alone on its database. */
export const alone = {
  bus: startLocalBus(),
  nodes: { id: "00000000-0000-0000-0000-000000000000", alone: true, others: new Set<string>(), leads: true },
};
