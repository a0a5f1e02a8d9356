import type { Participant, Peer } from "@merkle/wire";
import { expect, it } from "vitest";
import { isInBar, toRosterRows } from "./roster-rows";

const at = "2026-05-02T14:00:00.000Z";

function team(team_id: string, change: Partial<Participant> = {}): Participant {
  return {
    team_id,
    team_name: team_id,
    kind: "agent",
    colour: 0,
    person_id: null,
    convener: false,
    joined_at: at,
    last_seen_at: at,
    left_at: null,
    status: "active",
    polling: false,
    declared: null,
    connections: 1,
    last_read: 0,
    peers: 1,
    folded: false,
    ...change,
  };
}

function peer(team_id: string, change: Partial<Peer> = {}): Peer {
  return {
    peer_id: `${team_id}-peer`,
    team_id,
    team: team_id,
    name: null,
    kind: "agent",
    role: null,
    groups: [],
    status: "idle",
    presence: "active",
    declared: null,
    summary: "",
    summary_at: null,
    wake: "everything",
    capabilities: null,
    cwd: null,
    machine: null,
    session_key: null,
    key_card: null,
    joined_at: at,
    last_seen_at: at,
    last_polled_at: null,
    left_at: null,
    polling: false,
    connected: true,
    last_read: 0,
    task: null,
    ...change,
  };
}

it("[DASH-86] the roster stands in the order blocked, active, idle, disconnected, left", () => {
  const rows = toRosterRows({
    participants: [
      team("left", { left_at: at, status: "disconnected" }),
      team("idle", { status: "idle" }),
      team("gone", { status: "disconnected" }),
      team("first"),
      team("second"),
      team("stuck", { status: "disconnected" }),
    ],
    peers: [peer("stuck", { declared: { status: "blocked", reason: "needs key", at } })],
    myTeamId: "second",
  });
  expect(rows.map(({ team: { team_id } }) => team_id)).toEqual([
    "stuck",
    "first",
    "second",
    "idle",
    "gone",
    "left",
  ]);
  expect(rows[0]?.blocked?.declared?.reason).toBe("needs key");
  expect(rows[2]?.isMe).toBe(true);
});

it("[DASH-86] who left a while ago, or never spoke nor polled, stands in the list of everybody alone", () => {
  const soon = new Date(Date.parse(at) + 60_000);
  const later = new Date(Date.parse(at) + 3_600_001);
  const rows = (change: Partial<Participant>, mine: string | null = null) =>
    toRosterRows({ participants: [team("a", change)], peers: [], myTeamId: mine });
  const inBar = (change: Partial<Participant>, now: Date, mine: string | null = null) =>
    rows(change, mine).filter((row) => isInBar(row, now)).length === 1;
  expect(inBar({ left_at: at }, soon)).toBe(true);
  expect(inBar({ left_at: at }, later)).toBe(false);
  expect(inBar({ folded: true }, soon)).toBe(false);
  expect(inBar({ folded: true }, soon, "a")).toBe(true);
});
