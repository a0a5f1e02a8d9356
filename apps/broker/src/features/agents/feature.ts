import type { Feature } from "../../feature.js";
import { listAgents } from "./list-agents.js";

/** The agents of all sessions. */
export const agentsFeature = {
  name: "agents",
  needs: [],
  handlers: {
    list_agents: listAgents,
  },
} satisfies Feature;
