"use client";

import type { Agent, OutputOf } from "@merkle/wire";
import { Monitor } from "lucide-react";
import { useRef } from "react";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { PanelBoundary } from "@/components/panel-boundary";
import { ReadPanel } from "@/components/read-panel";
import { setQuery } from "@/core/address/address";
import { useQuery } from "@/core/address/use-query";
import { useQueryParam } from "@/core/address/use-query-param";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyPart } from "@/core/lazy-part";
import { useMediaQuery } from "@/core/use-media-query";
import { findPeerCheckout, useAllCheckouts } from "@/features/checkouts/api";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Input } from "@/ui/input";
import { Segmented } from "@/ui/segmented";
import { AgentCards } from "./agent-cards";
import { AgentCounts } from "./agent-counts";
import { AgentMap, mapAgentsMax } from "./agent-map";
import {
  type AgentFilter,
  type AgentQuery,
  agentFilters,
  formatSort,
  isInState,
  parseAgentQuery,
  selectAgents,
} from "./agent-query";
import { AgentRow } from "./agent-row";
import { isListed } from "./agent-state";
import { AgentTable } from "./agent-table";
import { useAgents } from "./use-agents";

const AgentWall = lazyPart(() => import("./agent-wall"), "AgentWall");

/**
 * The agents of all open sessions in a table. Below it is a map of recent messages, or a card of dots per session if there are
 * many agents.
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
      <div className="mx-auto w-full max-w-7xl p-4 lg:p-6">
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
  const params = useQuery();
  const isNarrow = useMediaQuery("(width < 48rem)");
  const checkouts = useAllCheckouts();
  if (agents.length === 0) return <NoAgents />;
  const query = parseAgentQuery((name) => params.get(name));
  const shown = selectAgents(agents, query);
  const pictured = shown.filter(isListed);
  return (
    <div className="grid grid-cols-1 gap-6">
      <p className="text-title font-semibold tabular-nums">
        <AgentCounts agents={agents} />
      </p>
      <div className="grid grid-cols-1 gap-3">
        <AgentFilters agents={agents} query={query} />
        {shown.length === 0 ? (
          <p className="rounded-lg border p-6 text-center text-muted-foreground">
            No agents match this filter.
          </p>
        ) : isNarrow ? (
          <ul aria-label="Agents" className="divide-y overflow-hidden rounded-lg border">
            {shown.map((agent) => (
              <AgentRow key={agent.peer_id} agent={agent} checkout={findPeerCheckout(checkouts, agent)} />
            ))}
          </ul>
        ) : (
          <AgentTable
            agents={shown}
            checkouts={checkouts}
            query={query}
            onSort={(order) => setQuery({ sort: formatSort(order) }, { replace: true })}
          />
        )}
      </div>
      {pictured.length > mapAgentsMax && <AgentCards agents={pictured} />}
      {pictured.length > 0 && pictured.length <= mapAgentsMax && (
        <figure className="overflow-hidden rounded-xl border bg-surface">
          <AgentMap
            agents={pictured}
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
    </div>
  );
}

const filterNames: Readonly<Record<AgentFilter, string>> = {
  all: "All",
  needs: "Needs you",
  working: "Working",
  online: "Online",
  offline: "Offline",
};

/** The filters of the table, with the number of agents in each state. */
function AgentFilters({ agents, query }: { readonly agents: readonly Agent[]; readonly query: AgentQuery }) {
  const field = useRef<HTMLInputElement>(null);
  useShortcut("/", () => field.current?.focus(), { label: "Filter agents", group: "Agents" });
  return (
    <search className="flex flex-wrap items-center gap-2">
      <Segmented
        label="Show agents"
        value={query.state}
        onChange={(state) => setQuery({ state: state === "all" ? null : state }, { replace: true })}
        options={agentFilters.map((state) => ({
          value: state,
          label: (
            <span className="flex gap-1.5">
              {filterNames[state]}
              <span className="text-muted-foreground tabular-nums">
                {agents.filter((agent) => isInState(agent, state)).length}
              </span>
            </span>
          ),
        }))}
      />
      <Input
        ref={field}
        type="search"
        aria-label="Filter by name, session, task or text"
        placeholder="Filter…"
        value={query.text}
        onChange={({ target }) => setQuery({ q: target.value }, { replace: true })}
        className="min-w-40 flex-1 sm:max-w-64"
      />
    </search>
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
