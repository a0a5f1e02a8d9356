import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { describeOverEveryTransport, describeWhereTheCallerKeeps } from "../kit/every-transport.js";
import { createTestSession, expectFailure, listTexts, toBareId } from "../kit/session.js";

describeOverEveryTransport("the roster", (at) => {
  it("[JOIN-1] joining adds a row and an event; [JOIN-2] the cursor is behind one's own joining", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    await session.post(session.convener, "before");
    const joined = await transport.call("join_session", { session_id, team_name: "Birch" });
    expect(joined).toMatchObject({ cursor: 2, resumed: false, team_name: "Birch", slug: session.slug });
    expect(joined.participants.map((team) => team.team_name)).toEqual(["Atlas", "Birch"]);
    const { messages } = await transport.call("get_history", { session_id });
    expect(messages.at(-1)).toMatchObject({
      type: "system",
      event: "team_joined",
      team: "Birch",
      sequence: 2,
    });
    const wait = await transport.call("wait_for_messages", {
      session_id,
      team_id: joined.team_id,
      timeout: 0,
    });
    expect(wait).toMatchObject({ messages: [], next_cursor: 2 });
  });

  it("[JOIN-3] replay_from starts reading earlier, and must lie in the feed", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    await session.post(session.convener, "one");
    await session.post(session.convener, "two");
    const joined = await transport.call("join_session", { session_id, team_name: "Birch", replay_from: 1 });
    expect(joined.cursor).toBe(1);
    const wait = await transport.call("wait_for_messages", { session_id, team_id: joined.team_id });
    expect(listTexts(wait.messages)).toEqual(["two"]);
    const beyond = { session_id, team_name: "Cedar", replay_from: 99 };
    expect(await expectFailure(transport.call("join_session", beyond))).toMatchObject({
      code: "bad_request",
    });
  });

  it("[JOIN-5] joining with one's own credential resumes the team: no event, same place", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const birch = await session.join("Birch");
    await session.post(session.convener, "unread");
    const again = await transport.call("join_session", {
      session_id,
      team_name: "Whoever",
      team_id: birch.credential,
    });
    expect(again).toMatchObject({
      team_id: birch.credential,
      team_name: "Birch",
      resumed: true,
      cursor: birch.cursor,
    });
    expect(again.participants).toHaveLength(2);
    expect(listTexts((await transport.call("get_history", { session_id })).messages)).toEqual([
      "team_joined",
      "unread",
    ]);
    const foreign = { session_id, team_name: "Birch", team_id: `${randomUUID()}.mk_${"x".repeat(43)}` };
    expect(await expectFailure(transport.call("join_session", foreign))).toMatchObject({
      code: "unauthorized",
    });
  });

  it("[JOIN-6] leaving ends the credential, tells the others and keeps the row", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const birch = await session.join("Birch");
    const left = await transport.call("leave_session", { session_id, team_id: birch.credential });
    expect(left.team_id).toBe(toBareId(birch.credential));
    const { messages } = await transport.call("get_history", { session_id });
    expect(messages.at(-1)).toMatchObject({ event: "team_left", team: "Birch" });
    for (const name of ["post_message", "get_session", "leave_session"]) {
      const failure = await expectFailure(transport.callRaw(name, { session_id, team_id: birch.credential }));
      expect(failure).toMatchObject({ code: "unauthorized" });
    }
    const { participants } = await transport.call("list_participants", { session_id });
    expect(participants[1]).toMatchObject({
      team_name: "Birch",
      status: "disconnected",
      left_at: left.left_at,
    });

    const back = await transport.call("join_session", {
      session_id,
      team_name: "Birch",
      team_id: birch.credential,
    });
    expect(back).toMatchObject({ resumed: true, team_name: "Birch", team_id: birch.credential });
    await transport.call("post_message", {
      session_id,
      team_id: birch.credential,
      content: { text: "back" },
    });
  });

  it("[JOIN-6] leaving answers the team's own parked waits", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const birch = await session.join("Birch");
    const parked = transport.call("wait_for_messages", { session_id, team_id: birch.credential });
    await expect
      .poll(async () => (await transport.call("list_participants", { session_id })).participants[1]?.polling)
      .toBe(true);
    await transport.call("leave_session", { session_id, team_id: birch.credential });
    // The last event that the team reads may be the one that reports its own departure.
    expect(listTexts((await parked).messages)).toEqual([]);
  });

  it("[ROSTER-4] a parked wait makes a team active; [ROSTER-6] polling says so", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const birch = await session.join("Birch");
    const parked = transport.call("wait_for_messages", { session_id, team_id: birch.credential });
    await expect
      .poll(async () => (await transport.call("list_participants", { session_id })).participants[1])
      .toMatchObject({ status: "active", polling: true });
    await session.post(session.convener, "hello");
    await parked;
    const { participants } = await transport.call("list_participants", { session_id });
    expect(participants[1]).toMatchObject({ status: "active", polling: false });
  });
});

describeWhereTheCallerKeeps("names and credentials in the roster", (at) => {
  it("[JOIN-4] a taken name gets a number, whatever its case", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const names: string[] = [];
    for (const team_name of ["Birch", "Birch", "birch", "Birch (2)"]) {
      names.push((await transport.call("join_session", { session_id, team_name })).team_name);
    }
    expect(names).toEqual(["Birch", "Birch (2)", "birch (3)", "Birch (2) (2)"]);
  });

  it("[AUTH-7] [IDEM-9] rotating gives another credential and ends the old one at once", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener } = session;
    await session.post(convener, "with the old one");
    const idempotency_key = randomUUID();
    const rotated = await transport.call("rotate_team_credential", {
      session_id,
      team_id: convener,
      idempotency_key,
    });
    expect(toBareId(rotated.team_id)).toBe(toBareId(convener));
    expect(await expectFailure(session.post(convener, "old"))).toMatchObject({ code: "unauthorized" });
    await session.post(rotated.team_id, "new");
    // A retry with the same key and the replaced credential returns the same result (IDEM-9).
    expect(
      await transport.call("rotate_team_credential", { session_id, team_id: convener, idempotency_key }),
    ).toEqual(rotated);
  });
});
