import { startLocalBus } from "../../apps/broker/src/core/bus/bus.js";
import type { Nodes } from "../../apps/broker/src/core/nodes.js";

/** The bus and the nodes for a broker that is the only broker on its database. */
export const alone: { readonly bus: ReturnType<typeof startLocalBus>; readonly nodes: Nodes } = {
  bus: startLocalBus(),
  nodes: {
    id: "00000000-0000-0000-0000-000000000000",
    isAlone: true,
    others: new Set(),
    hasSilentNodes: false,
    isLeader: true,
    list: async () => [],
    settle: async () => undefined,
    onNodesStopped: () => undefined,
    announce: async () => undefined,
    stop: async () => undefined,
  },
};
