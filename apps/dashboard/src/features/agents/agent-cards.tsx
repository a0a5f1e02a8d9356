import type { Agent } from "@merkle/wire";
import { PageLink } from "@/components/page-link";
import { cn } from "@/core/utils";
import { StatusMark } from "@/sessions/status-mark";
import { showHidden } from "@/text/markdown/hidden-characters";
import { findNeed } from "./agent-state";
import { formatName, groupBySession } from "./agent-words";

/** Shows a card per session with a dot per agent, if there are more agents than fit on the map. */
export function AgentCards({ agents, className }: { agents: readonly Agent[]; className?: string }) {
  return (
    <ul aria-label="Agents by session" className={cn("flex flex-wrap gap-3", className)}>
      {groupBySession(agents).map(({ first, agents: sessionAgents }) => (
        <li key={first.session_id} className="min-w-0 flex-1 basis-64 rounded-lg border bg-background p-3">
          <div className="flex items-baseline gap-2">
            <PageLink
              href={`/sessions/${first.session}`}
              className="min-w-0 flex-1 truncate font-medium hover:underline pointer-coarse:py-2.5"
            >
              <bdi>{showHidden(first.session_title)}</bdi>
            </PageLink>
            <Need count={sessionAgents.filter((agent) => findNeed(agent) === "human").length} />
            <span className="text-sm text-muted-foreground tabular-nums">{sessionAgents.length}</span>
          </div>
          <ul className="mt-2 flex flex-wrap gap-2">
            {sessionAgents.map((agent) => (
              <li key={agent.peer_id} title={formatName(agent)} className="flex">
                <span className="sr-only">{formatName(agent)}: </span>
                <StatusMark status={agent.presence} isBlocked={agent.declared?.status === "blocked"} />
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

function Need({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span className="text-sm whitespace-nowrap text-warning">
      {count === 1 ? "1 needs you" : `${count} need you`}
    </span>
  );
}
