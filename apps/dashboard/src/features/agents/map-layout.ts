import type { Agent, AgentTalk } from "@merkle/wire";
import { bySession } from "./agent-words";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Node extends Point {
  readonly agent: Agent;
}

/** A session on the map: a middle, and its agents around it. */
export interface Cluster extends Point {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly radius: number;
  /** Below everything that belongs to it. */
  readonly bottom: number;
  readonly nodes: readonly Node[];
}

export interface MapLayout {
  readonly width: number;
  readonly height: number;
  readonly clusters: readonly Cluster[];
}

const nodeRoom = 96;
const radiusMin = 104;
/** Up to this number of agents, a message to everyone leads to each of them; beyond it, to the middle. */
const fewMax = 4;
const margin = 86;

/** Places agents around the middle of their session, and sessions in rows that are about as wide as `aspect` says. */
export function layOut(agents: readonly Agent[], aspect: number): MapLayout {
  const groups = bySession(agents.toSorted((a, b) => a.peer_id.localeCompare(b.peer_id)))
    // By when it began, so that nothing changes its place while somebody looks.
    .sort((a, b) => a.first.session_id.localeCompare(b.first.session_id));
  const radii = groups.map(({ agents: { length } }) =>
    Math.max(radiusMin, (length * nodeRoom) / (2 * Math.PI)),
  );
  const cell = 2 * (Math.max(radiusMin, ...radii) + margin);
  const columns = Math.max(1, Math.min(groups.length, Math.round(Math.sqrt(groups.length * aspect))));
  const rows = Math.max(1, Math.ceil(groups.length / columns));
  const width = Math.max(columns * cell, rows * cell * aspect);
  const height = rows * cell;
  const clusters = groups.map(({ first, agents: own }, index): Cluster => {
    const row = Math.floor(index / columns);
    const inRow = row === rows - 1 ? groups.length - row * columns : columns;
    const radius = radii[index] ?? radiusMin;
    const x = width / 2 + ((index % columns) - (inRow - 1) / 2) * (width / columns);
    const y = (row + 0.5) * cell;
    const nodes = own.map((agent, at): Node => {
      // Two agents are side by side, where their names have room.
      const outward = (own.length === 2 ? Math.PI : -Math.PI / 2) + (at * 2 * Math.PI) / own.length;
      const reach = own.length === 1 ? 0 : radius;
      return { agent, x: x + reach * Math.cos(outward), y: y + reach * Math.sin(outward) };
    });
    const bottom = Math.max(...nodes.map((node) => node.y)) + 82;
    return {
      ...{ id: first.session_id, slug: first.session, title: first.session_title },
      ...{ x, y, radius, bottom, nodes },
    };
  });
  return { width, height, clusters };
}

/** The messages from one place to another, with the age of the newest. */
export interface Edge {
  readonly key: string;
  readonly from: Point;
  readonly to: Point;
  readonly colour: number;
  readonly count: number;
  readonly ageMs: number;
}

/** Combines the messages from one agent to another, or to everyone, which lead to the middle of the session. */
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
        // A human's word comes from outside, by way of the middle.
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

/** A line between two places that is bent a little to the left, so that there and back are two lines; it ends short of both. */
export function bend(from: Point, to: Point, gap: number): string {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const lift = Math.min(28, length * 0.16);
  const [cx, cy] = [from.x + dx / 2 - uy * lift, from.y + dy / 2 + ux * lift];
  const start = { x: from.x + ux * gap, y: from.y + uy * gap };
  const end = { x: to.x - ux * gap, y: to.y - uy * gap };
  return `M${round(start.x)} ${round(start.y)}Q${round(cx)} ${round(cy)} ${round(end.x)} ${round(end.y)}`;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
