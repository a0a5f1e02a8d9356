import type { Agent } from "@merkle/wire";
import { countAgents } from "./agent-state";

/** How many agents need a human, work, are online and are offline, as reported and observed: each agent once. */
export function AgentCounts({ agents }: { readonly agents: readonly Agent[] }) {
  const { needing, others } = countAgents(agents);
  return (
    <>
      {needing > 0 && (
        <span className="text-warning">{needing === 1 ? "1 needs you" : `${needing} need you`}</span>
      )}
      {needing > 0 && others !== "" && ", "}
      <span className="font-normal text-muted-foreground">{others}</span>
    </>
  );
}
