import type { Feature } from "../../feature.js";
import { listAgents } from "./list-agents.js";

/** Lists the agents of all open sessions. */
export const agentsFeature = {
  name: "agents",
  needs: [],
  handlers: {
    list_agents: listAgents,
  },
} satisfies Feature;
