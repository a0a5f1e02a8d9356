import { describe, expect, it, onTestFinished } from "vitest";
import { makeTestHome } from "../../../../packages/db/src/embedded/test-support.js";
import { startTestBroker } from "../../../../tests/kit/test-broker.js";
import { createBrokerClient } from "../broker-client.js";
import { listHeldTeams } from "./held-teams.js";
import { joinTeam } from "./join-team.js";

const meshId = "0b6f2f7e-0000-4000-8000-000000000001";

/** A broker with one session, and a home that joins it. */
async function setUp() {
  const { url } = await startTestBroker();
  const { path: home, remove } = await makeTestHome();
  onTestFinished(remove);
  const caller = createBrokerClient({ base: url, source: "default" }, new AbortController().signal);
  const { session_id: sessionId, slug } = await caller.call("create_session", {
    title: "Split the auth service",
    creator_team_name: "Convener",
  });
  const join = (teamName: string, more: { sessionId?: string; claudeSessionId?: string } = {}) =>
    joinTeam({ caller, home, meshId, sessionId, teamName, claudeSessionId: null, ...more });
  const joinings = async (name: string) => {
    const { messages } = await caller.call("get_history", { session_id: sessionId });
    return messages.filter((each) => each.event === "team_joined" && each["team"] === name).length;
  };
  return { caller, home, sessionId, slug, join, joinings };
}

describe("joinTeam", () => {
  it("[LAUNCH-4] joins as a new team, holds it, and takes the same place the next time", async () => {
    const { home, slug, join, joinings } = await setUp();
    const first = await join("Birch", { claudeSessionId: "a-claude-session" });
    expect(first).toMatchObject({ resumed: false, joined: { resumed: false, team_name: "Birch" } });
    expect(await listHeldTeams(home, meshId)).toEqual([first.held]);
    expect(first.held).toMatchObject({
      slug,
      team_name: "Birch",
      credential: first.joined.team_id,
      claude_session_id: "a-claude-session",
    });
    await first.hold.release();

    const second = await join("birch", { sessionId: slug });
    expect(second).toMatchObject({
      resumed: true,
      joined: {
        resumed: true,
        team_name: "Birch",
        team_id: first.joined.team_id,
        cursor: first.joined.cursor,
      },
    });
    expect(await listHeldTeams(home, meshId)).toEqual([second.held]);
    expect(await joinings("Birch")).toBe(1);
  });

  it("[LAUNCH-4] joins beside a team that a live process acts as, and takes each place again", async () => {
    const { join } = await setUp();
    const first = await join("Birch");
    const second = await join("Birch");
    expect(second).toMatchObject({ resumed: false, joined: { team_name: "Birch (2)" } });
    await first.hold.release();
    await second.hold.release();
    expect(await join("Birch")).toMatchObject({ resumed: true, held: { team_id: first.held.team_id } });
    expect(await join("Birch")).toMatchObject({ resumed: true, held: { team_id: second.held.team_id } });
    expect(await join("Birch")).toMatchObject({ resumed: false, joined: { team_name: "Birch (3)" } });
    expect(await join("Birch (x)")).toMatchObject({ resumed: false });
  });

  it("[LAUNCH-4] comes back as a team that has left", async () => {
    const { caller, sessionId, join, joinings } = await setUp();
    const { held, hold } = await join("Birch");
    await caller.call("leave_session", { session_id: sessionId, team_id: held.credential });
    await hold.release();
    expect(await join("Birch")).toMatchObject({ resumed: true, held: { team_id: held.team_id } });
    expect(await joinings("Birch")).toBe(2);
  });

  it("[LAUNCH-4] forgets a team that the broker refuses, and joins anew", async () => {
    const { caller, home, sessionId, join } = await setUp();
    const { held, hold } = await join("Birch");
    await hold.release();
    await caller.call("rotate_team_credential", { session_id: sessionId, team_id: held.credential });
    const next = await join("Birch");
    expect(next).toMatchObject({ resumed: false, joined: { team_name: "Birch (2)" } });
    expect(await listHeldTeams(home, meshId)).toEqual([next.held]);
  });

  it("[LAUNCH-4] says what the broker says of a session that is closed or not there, and holds nothing then", async () => {
    const { caller, sessionId, join } = await setUp();
    const { held, hold } = await join("Birch");
    await caller.call("conclude_session", {
      session_id: sessionId,
      team_id: held.credential,
      summary_section: "Done.",
    });
    await hold.release();
    await expect(join("Birch")).rejects.toMatchObject({ code: "session_closed" });
    await expect(join("Birch")).rejects.toMatchObject({ code: "session_closed" });
    await expect(join("Birch", { sessionId: "nowhere" })).rejects.toMatchObject({ code: "not_found" });
  });
});
