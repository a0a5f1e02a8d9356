import { expect, it } from "vitest";
import { formatSort, parseAgentQuery, selectAgents } from "./agent-query";
import { ask, blocked, idle, offline, working } from "./staged-agents";

const agents = [
  { ...idle, ...offline, team: "Gone" },
  { ...working, team: "Elm 10", tokens: 5, last_seen_at: "2026-01-01T00:00:03.000Z" },
  { ...working, team: "Elm 9", summary: "Rotates the KEYS", last_seen_at: "2026-01-01T00:00:02.000Z" },
  { ...idle, team: "Birch", waits: [ask], tokens: 90 },
  { ...blocked, ...offline, team: "Ash", task: { task: 3, title: "Rotate", since: ask.since } },
];

function list(search: string): string[] {
  const params = new URLSearchParams(search);
  return selectAgents(
    agents,
    parseAgentQuery((name) => params.get(name)),
  ).map(({ team }) => team);
}

it("[DASH-373] the table puts those that need a human first and those offline last", () => {
  expect(list("")).toEqual(["Birch", "Elm 10", "Elm 9", "Ash", "Gone"]);
  expect(list("sort=nothing&state=none")).toEqual(list(""));
});

it("[DASH-373] the address holds order and filter", () => {
  expect(list("sort=name")).toEqual(["Ash", "Birch", "Elm 9", "Elm 10", "Gone"]);
  expect(list("sort=-name")).toEqual(["Gone", "Elm 10", "Elm 9", "Birch", "Ash"]);
  expect(list("sort=tokens").slice(0, 2)).toEqual(["Birch", "Elm 10"]);
  expect(list("sort=task")[0]).toBe("Ash");
  expect(list("sort=seen").slice(0, 2)).toEqual(["Elm 10", "Elm 9"]);
  expect(list("state=working")).toEqual(["Elm 10", "Elm 9"]);
  expect(list("state=needs")).toEqual(["Birch"]);
  expect(list("state=offline")).toEqual(["Ash", "Gone"]);
  expect(list("q=keys%20elm")).toEqual(["Elm 9"]);
  const queried = (sort: string) => formatSort(parseAgentQuery((name) => (name === "sort" ? sort : null)));
  expect([queried("need"), queried("-need"), queried("-seen")]).toEqual([null, "-need", "-seen"]);
});
