"use client";

import type { OutputOf } from "@merkle/wire";
import { Monitor } from "lucide-react";
import { useState } from "react";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { PanelBoundary } from "@/components/panel-boundary";
import { ReadPanel } from "@/components/read-panel";
import { useQueryParam } from "@/core/address/use-query-param";
import { lazyPart } from "@/core/lazy-part";
import { useMediaQuery } from "@/core/use-media-query";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { AgentCards } from "./agent-cards";
import { AgentCounts } from "./agent-counts";
import { AgentMap, mapAgentsMax } from "./agent-map";
import { AgentRow } from "./agent-row";
import { findNeed, isListed } from "./agent-state";
import { groupBySession } from "./agent-words";
import { useAgents } from "./use-agents";

const AgentWall = lazyPart(() => import("./agent-wall"), "AgentWall");

/**
 * The agents of all open sessions. Agents that need a human come first. Above the list is a map of recent messages, or a card per
 * session if there are many agents.
 */
export function AgentsView() {
  const [wall, setWall] = useQueryParam("wall");
  const read = useAgents(undefined);
  if (wall === "1") {
    return <AgentWall read={read} onLeave={() => setWall(null)} />;
  }
  return (
    <>
      <PageHeader
        crumbs={[{ label: "Agents" }]}
        actions={
          <Button
            variant="outline"
            size="sm"
            title="Full-screen view for a wall display"
            onClick={() => setWall("1")}
            className="max-md:hidden"
          >
            <Monitor aria-hidden /> Wall
          </Button>
        }
      />
      <div className="mx-auto w-full max-w-6xl p-4 lg:p-6">
        <h1 className="sr-only">Agents</h1>
        <PanelBoundary title="Agents">
          <ReadPanel read={read} failureTitle="Couldn't load agents.">
            {(data) => <Agents {...data} />}
          </ReadPanel>
        </PanelBoundary>
      </div>
    </>
  );
}

function Agents({ agents, talk }: OutputOf<"list_agents">) {
  const [isShowingAll, setShowingAll] = useState(false);
  const isNarrow = useMediaQuery("(width < 48rem)");
  const listedAgents = agents.filter(isListed);
  const visibleAgents = isShowingAll ? agents : listedAgents;
  const offlineCount = agents.length - listedAgents.length;
  const agentsInNeed = visibleAgents.filter((agent) => findNeed(agent) !== null);
  const otherGroups = groupBySession(visibleAgents.filter((agent) => findNeed(agent) === null));
  if (agents.length === 0) return <NoAgents />;
  return (
    <div className="grid grid-cols-1 gap-6">
      <p className="text-title font-semibold tabular-nums">
        <AgentCounts agents={agents} />
      </p>
      {visibleAgents.length > mapAgentsMax && <AgentCards agents={visibleAgents} />}
      {visibleAgents.length > 0 && visibleAgents.length <= mapAgentsMax && (
        <figure className="overflow-hidden rounded-xl border bg-surface">
          <AgentMap
            agents={visibleAgents}
            talk={talk}
            aspect={isNarrow ? 0.9 : 2.4}
            className="max-h-[34rem] min-h-64"
          />
          <figcaption className="flex flex-wrap gap-x-5 gap-y-1 border-t px-4 py-2 text-xs text-muted-foreground">
            <span>Lines: messages in the last 5 min. Moving lines: right now.</span>
            <span>Dashed ring: waiting for an answer.</span>
          </figcaption>
        </figure>
      )}
      {agentsInNeed.length > 0 && (
        <Group title="Waiting" count={agentsInNeed.length}>
          {agentsInNeed.map((agent) => (
            <AgentRow key={agent.peer_id} agent={agent} />
          ))}
        </Group>
      )}
      {otherGroups.map(({ first, agents: sessionAgents }) => (
        <Group
          key={first.session_id}
          title={first.session_title}
          href={`/sessions/${first.session}`}
          count={sessionAgents.length}
        >
          {sessionAgents.map((agent) => (
            <AgentRow key={agent.peer_id} agent={agent} />
          ))}
        </Group>
      ))}
      {offlineCount > 0 && (
        <Button
          variant="outline"
          className="justify-self-start"
          aria-expanded={isShowingAll}
          onClick={() => setShowingAll(!isShowingAll)}
        >
          {isShowingAll ? "Hide offline agents" : `${offlineCount} offline`}
        </Button>
      )}
    </div>
  );
}

interface SessionAgentsProps {
  readonly title: string;
  readonly href?: string;
  readonly count: number;
  readonly children: React.ReactNode;
}

function Group({ title, href, count, children }: SessionAgentsProps) {
  return (
    <article aria-label={title}>
      <h2 className="mb-2 flex items-baseline gap-2 text-lg font-semibold">
        <span dir="auto" className="min-w-0 truncate">
          {href ? (
            <PageLink href={href} className="block truncate hover:underline pointer-coarse:py-2.5">
              {showHidden(title)}
            </PageLink>
          ) : (
            title
          )}
        </span>
        <span className="text-sm font-normal text-muted-foreground tabular-nums">{count}</span>
      </h2>
      <ul className="divide-y overflow-hidden rounded-lg border">{children}</ul>
    </article>
  );
}

function NoAgents() {
  return (
    <Empty className="rounded-lg border py-16">
      <EmptyTitle>No agents</EmptyTitle>
      <EmptyDescription>
        See what agents in all open sessions are doing, what they are waiting for, and who is talking to whom.
      </EmptyDescription>
      <Button asChild variant="outline">
        <PageLink href="/">Start an agent</PageLink>
      </Button>
    </Empty>
  );
}
