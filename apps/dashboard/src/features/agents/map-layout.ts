import type { Agent, AgentTalk } from "@merkle/wire";
import { groupBySession } from "./agent-words";

export interface MapPoint {
  readonly x: number;
  readonly y: number;
}

export interface MapNode extends MapPoint {
  readonly agent: Agent;
}

/** A session on the map: a centre with its agents around it. */
export interface MapCluster extends MapPoint {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly radius: number;
  /** The y coordinate below all parts of the cluster. */
  readonly bottom: number;
  readonly nodes: readonly MapNode[];
}

export interface MapLayout {
  readonly width: number;
  readonly height: number;
  readonly clusters: readonly MapCluster[];
}

const nodeRoom = 96;
const radiusMin = 104;
/**
 * Up to this number of agents in a session, a message to everyone is drawn as a line to each agent. With more agents,
 * one line goes to the centre.
 */
const fewMax = 4;
const margin = 86;

/** Places agents around the centre of their session, and sessions in rows. `aspect` is the desired ratio of width to height. */
export function computeLayout(agents: readonly Agent[], aspect: number): MapLayout {
  const groups = groupBySession(agents.toSorted((a, b) => a.peer_id.localeCompare(b.peer_id)))
    // Sorted by id, so that no session changes its position while someone watches.
    .sort((a, b) => a.first.session_id.localeCompare(b.first.session_id));
  const radii = groups.map(({ agents: { length } }) =>
    Math.max(radiusMin, (length * nodeRoom) / (2 * Math.PI)),
  );
  const cell = 2 * (Math.max(radiusMin, ...radii) + margin);
  const columns = Math.max(1, Math.min(groups.length, Math.round(Math.sqrt(groups.length * aspect))));
  const rows = Math.max(1, Math.ceil(groups.length / columns));
  const width = Math.max(columns * cell, rows * cell * aspect);
  const height = rows * cell;
  const clusters = groups.map(({ first, agents: sessionAgents }, index): MapCluster => {
    const row = Math.floor(index / columns);
    const rowLength = row === rows - 1 ? groups.length - row * columns : columns;
    const radius = radii[index] ?? radiusMin;
    const x = width / 2 + ((index % columns) - (rowLength - 1) / 2) * (width / columns);
    const y = (row + 0.5) * cell;
    const nodes = sessionAgents.map((agent, at): MapNode => {
      // Two agents are placed side by side, which leaves space for their names.
      const angle =
        (sessionAgents.length === 2 ? Math.PI : -Math.PI / 2) + (at * 2 * Math.PI) / sessionAgents.length;
      const distance = sessionAgents.length === 1 ? 0 : radius;
      return { agent, x: x + distance * Math.cos(angle), y: y + distance * Math.sin(angle) };
    });
    const bottom = Math.max(...nodes.map((node) => node.y)) + 82;
    return {
      ...{ id: first.session_id, slug: first.session, title: first.session_title },
      ...{ x, y, radius, bottom, nodes },
    };
  });
  return { width, height, clusters };
}

/** All messages from one point to another, with the age of the newest message. */
export interface Edge {
  readonly key: string;
  readonly from: MapPoint;
  readonly to: MapPoint;
  readonly colour: number;
  readonly count: number;
  readonly ageMs: number;
}

/** Combines all messages between the same two agents. Messages to everyone end at the centre of the session. */
export function toEdges({ clusters }: MapLayout, talk: readonly AgentTalk[], now: number): Edge[] {
  const edges = new Map<string, Edge>();
  for (const cluster of clusters) {
    const nodes = new Map(cluster.nodes.map((node) => [node.agent.peer_id, node]));
    for (const { session_id, from, to, at } of talk) {
      if (session_id !== cluster.id) continue;
      const source = from === null ? undefined : nodes.get(from);
      const isForFew = to === null && cluster.nodes.length <= fewMax;
      const targets = isForFew
        ? cluster.nodes
        : to === null
          ? [undefined]
          : to.flatMap((id) => nodes.get(id) ?? []);
      for (const target of targets) {
        // Skips lines without length: from an agent to itself, or from a human to the centre, where a human's messages start.
        if (source === target) continue;
        const key = `${cluster.id} ${from} ${target?.agent.peer_id}`;
        edges.set(key, {
          key,
          from: source ?? cluster,
          to: target ?? cluster,
          colour: source?.agent.colour ?? -1,
          count: (edges.get(key)?.count ?? 0) + 1,
          ageMs: Math.max(0, now - Date.parse(at)),
        });
      }
    }
  }
  return [...edges.values()];
}

/**
 * Returns the path of a line that bends slightly to the left, so that both directions are visible. It ends short of both points.
 */
export function drawBend(from: MapPoint, to: MapPoint, gap: number): string {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const bend = Math.min(28, length * 0.16);
  const [cx, cy] = [from.x + dx / 2 - uy * bend, from.y + dy / 2 + ux * bend];
  const start = { x: from.x + ux * gap, y: from.y + uy * gap };
  const end = { x: to.x - ux * gap, y: to.y - uy * gap };
  return `M${round(start.x)} ${round(start.y)}Q${round(cx)} ${round(cy)} ${round(end.x)} ${round(end.y)}`;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
