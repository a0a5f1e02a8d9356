import type { Peer } from "@merkle/wire";
import { sessionSettingsDefault } from "@merkle/wire";
import { describe, expect, it } from "vitest";
import { feedMessage } from "../test-kit/feed-message.js";
import { toNeeds } from "./needs.js";
import { OpenAsks } from "./open-asks.js";

const at = "2026-01-01T00:00:00.000Z";
const session = { held: null, agent_messages: 0, settings: sessionSettingsDefault, session_closed: false };

function peer(special: Partial<Peer>): Peer {
  return {
    peer_id: "",
    team_id: "",
    team: "Cedar",
    name: null,
    kind: "agent",
    role: null,
    groups: [],
    status: "idle",
    declared: null,
    summary: null,
    capabilities: null,
    cwd: null,
    machine: null,
    session_key: null,
    joined_at: at,
    last_seen_at: at,
    last_polled_at: null,
    left_at: null,
    polling: false,
    connected: false,
    last_read: 0,
    ...special,
  };
}

const ask = (sequence: number, to: string[]) =>
  feedMessage(sequence, { to, content: { text: "which?", kind: "ask", options: ["a", "b"] } });

describe("what needs a human", () => {
  it("[CLI-46] is an ask to humans that nobody answered, by whatever name of theirs", () => {
    const asks = new OpenAsks();
    for (const [index, to] of [["@humans"], ["Ana"], ["*"], ["Birch"], ["@humans"]].entries())
      asks.add(ask(index + 1, to));
    asks.add(feedMessage(6, { reply_to: 5, content: { text: "a", answer: "a" } }));
    asks.add(feedMessage(7, { reply_to: 1, content: { text: "which do you mean?" } }));
    const peers = [peer({ team: "ana", kind: "human" }), peer({ team: "Birch" })];
    const needs = toNeeds({ session, peers, asks: asks.list() });
    expect(needs).toMatchObject([
      { kind: "ask", message: 1, from: "Alder", text: "which?", options: ["a", "b"] },
      { kind: "ask", message: 2 },
    ]);
    // An answer that was read before its ask settles it, too.
    asks.add(feedMessage(9, { reply_to: 8, content: { text: "a", answer: "a" } }));
    asks.add(ask(8, ["@humans"]));
    expect(asks.list().map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  });

  it("[CLI-46] is a blocked peer, a hold and a spent budget; of a closed session nothing", () => {
    const declared = { status: "blocked" as const, reason: "needs key", at };
    const facts = {
      session: {
        ...session,
        held: { by: "Ana", reason: null, at },
        agent_messages: 3,
        settings: { ...sessionSettingsDefault, message_budget: 3 },
      },
      peers: [peer({ declared }), peer({ declared, left_at: at }), peer({})],
      asks: [],
    };
    expect(toNeeds(facts)).toEqual([
      { kind: "blocked", team: "Cedar", peer: null, reason: "needs key", at },
      { kind: "held", by: "Ana", reason: null, at },
      { kind: "budget_spent", budget: 3, agent_messages: 3 },
    ]);
    expect(toNeeds({ ...facts, session: { ...facts.session, session_closed: true } })).toEqual([]);
  });
});
