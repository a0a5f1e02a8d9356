"use client";

import { type Agent, type AgentTalk, formatAgentUnread } from "@merkle/wire";
import { useRouter } from "next/navigation";
import { type MouseEvent, useMemo } from "react";
import { cn } from "@/core/utils";
import { toMonogram } from "@/sessions/monogram";
import { describeStatus } from "@/sessions/status-mark";
import { toTeamColour } from "@/sessions/team-colour";
import { findNeed } from "./agent-state";
import { describeActivity, describeWait, formatName } from "./agent-words";
import {
  computeLayout,
  drawBend,
  type Edge,
  type MapCluster,
  type MapNode,
  round,
  toEdges,
} from "./map-layout";

export interface AgentMapProps {
  readonly agents: readonly Agent[];
  readonly talk: readonly AgentTalk[];
  /** The map's width divided by its height. */
  readonly aspect: number;
  /** Whether the map is shown on a wall screen and read from a distance. Each agent's activity is then written next to it. */
  readonly isWall?: boolean;
  readonly className?: string;
}

/** Above this number of agents, the lines between them become unreadable. */
export const mapAgentsMax = 12;

const nodeRadius = 22;
const freshMs = 45_000;
const talkMs = 300_000;

/** A map of the agents in each session, with lines for the recent messages between them. */
export function AgentMap({ agents, talk, aspect, isWall = false, className }: AgentMapProps) {
  const layout = useMemo(() => computeLayout(agents, aspect), [agents, aspect]);
  const edges = useMemo(() => toEdges(layout, talk, Date.now()), [layout, talk]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing whose parts are links; a fieldset is a part of a form
    <svg
      viewBox={`0 0 ${round(layout.width)} ${round(layout.height)}`}
      role="group"
      aria-label="Map of the agents"
      className={cn("block w-full", className)}
    >
      {layout.clusters.map((cluster) => (
        <ClusterBackground key={cluster.id} cluster={cluster} />
      ))}
      {edges.map((edge) => (
        <EdgeLine key={edge.key} edge={edge} />
      ))}
      {layout.clusters.map((cluster) => (
        <g key={cluster.id}>
          {cluster.nodes.map((node) => (
            <AgentNode key={node.agent.peer_id} node={node} cluster={cluster} isWall={isWall} />
          ))}
        </g>
      ))}
    </svg>
  );
}

/** The background of a session, with the centre that messages to everyone point to. */
function ClusterBackground({ cluster: { x, y, radius, bottom, title, nodes } }: { cluster: MapCluster }) {
  const isAlone = nodes.length === 1;
  return (
    <g aria-hidden>
      <circle
        cx={x}
        cy={y}
        r={radius}
        className="fill-none stroke-border"
        strokeWidth={1}
        strokeDasharray="1 7"
        strokeLinecap="round"
      />
      {!isAlone && <circle cx={x} cy={y} r={4} className="fill-border" />}
      <text x={x} y={bottom} textAnchor="middle" className="fill-muted-foreground text-[13px]">
        {truncate(title, 40)}
      </text>
    </g>
  );
}

/** Lines for messages between agents. Newer lines are stronger, and the newest are animated. */
function EdgeLine({ edge: { from, to, colour, count, ageMs } }: { edge: Edge }) {
  const path = drawBend(from, to, nodeRadius + 6);
  const isFresh = ageMs < freshMs;
  const opacity = Math.max(0.18, 1 - ageMs / talkMs);
  return (
    <g
      aria-hidden
      className={cn("fill-none", colour < 0 ? "text-primary" : toTeamColour(colour).className)}
      opacity={round(opacity)}
    >
      <path d={path} stroke="currentColor" strokeWidth={Math.min(3, 1 + count / 4)} opacity={0.45} />
      {isFresh && (
        <path
          d={path}
          stroke="currentColor"
          strokeWidth={5}
          strokeLinecap="round"
          strokeDasharray="0 26"
          className="agent-flow"
        />
      )}
    </g>
  );
}

/** Gives labels an outline in the background colour, so that lines behind them do not reduce legibility. */
const haloed = "stroke-surface stroke-[4px] [paint-order:stroke] [stroke-linejoin:round]";

function AgentNode({ node, cluster, isWall }: { node: MapNode; cluster: MapCluster; isWall: boolean }) {
  const router = useRouter();
  const { agent, x, y } = node;
  const { presence, colour, unread, waits } = agent;
  const need = findNeed(agent);
  const activity = describeActivity(agent);
  const href = `/sessions/${agent.session}`;
  const isAway = presence === "disconnected";
  const labelY = y + (isAbove(node, cluster) ? (waits.length > 0 ? -56 : -46) : nodeRadius + 17);

  function open(event: MouseEvent): void {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    router.push(href);
  }

  return (
    <a href={href} onClick={open} className="group">
      <title>{`${formatName(agent)} in ${cluster.title}: ${describeStatus(presence, agent.declared?.status === "blocked")}, ${activity.text}${waits.map((wait) => `, waits for ${describeWait(wait)}`).join("")}${unread > 0 ? `, ${formatAgentUnread(unread)}` : ""}`}</title>
      {waits.length > 0 && <AskLoop node={node} human={need === "human"} />}
      {presence === "active" && !need && (
        <circle
          cx={x}
          cy={y}
          r={nodeRadius + 7}
          className={cn("agent-breath fill-current", toTeamColour(colour).className)}
          opacity={0.16}
        />
      )}
      {need === "human" && (
        <circle cx={x} cy={y} r={nodeRadius + 7} className="agent-breath fill-warning" opacity={0.28} />
      )}
      <circle
        cx={x}
        cy={y}
        r={nodeRadius}
        strokeWidth={need === "human" ? 3 : 2}
        strokeDasharray={isAway ? "3 4" : undefined}
        className={cn(
          "fill-background group-hover:fill-raised group-focus-visible:stroke-ring",
          need === "human" ? "stroke-warning" : "stroke-current",
          !need && toTeamColour(colour).className,
          need === "agent" && "stroke-info",
        )}
      />
      <text
        aria-hidden
        x={x}
        y={y + 5}
        textAnchor="middle"
        className={cn("fill-current font-mono text-[14px] font-medium", toTeamColour(colour).className)}
        opacity={isAway ? 0.6 : 1}
      >
        {toMonogram(agent.name ?? agent.team)}
      </text>
      {/* The number is in the title and in the table: it does not fit here. */}
      {unread > 0 && <circle aria-hidden cx={x - 17} cy={y - 17} r={5} className="fill-primary" />}
      <text
        x={x}
        y={labelY}
        textAnchor="middle"
        className={cn(
          "text-[13px] font-medium",
          haloed,
          isAway ? "fill-muted-foreground" : "fill-foreground",
        )}
      >
        {truncate(formatName(agent), 22)}
      </text>
      <text
        x={x}
        y={labelY + 16}
        textAnchor="middle"
        className={cn("fill-muted-foreground text-[11px]", haloed)}
      >
        {truncate(activity.text, isWall ? 30 : 26)}
      </text>
    </a>
  );
}

/** Labels are on the outer side of the circle, where there are no lines. */
function isAbove({ y }: MapNode, cluster: MapCluster): boolean {
  return cluster.nodes.length > 2 && y < cluster.y - 1;
}

/** Draws an unanswered ask as an open loop. */
function AskLoop({ node: { x, y }, human }: { node: MapNode; human: boolean }) {
  const angle = -0.65;
  const [cx, cy] = [x + 36 * Math.cos(angle), y + 36 * Math.sin(angle)];
  const r = 13;
  const [start, end] = [angle + Math.PI + 0.75, angle + Math.PI - 0.75];
  const formatPoint = (turn: number) => `${round(cx + r * Math.cos(turn))} ${round(cy + r * Math.sin(turn))}`;
  return (
    <g aria-hidden className={human ? "text-warning" : "text-info"}>
      <path
        d={`M${formatPoint(start)}A${r} ${r} 0 1 1 ${formatPoint(end)}`}
        className="agent-ask fill-none"
        stroke="currentColor"
        strokeWidth={2}
        strokeLinecap="round"
        strokeDasharray="5 4"
      />
      <text
        x={round(cx)}
        y={round(cy + 4.5)}
        textAnchor="middle"
        className="fill-current text-[13px] font-semibold"
      >
        ?
      </text>
    </g>
  );
}

function truncate(text: string, chars: number): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= chars ? line : `${line.slice(0, chars - 1).trimEnd()}…`;
}
