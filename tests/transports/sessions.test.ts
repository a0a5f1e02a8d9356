import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { describeOverEveryTransport, describeWhereTheCallerKeeps } from "../kit/every-transport.js";
import { changeSettings } from "../kit/persons.js";
import { createTestSession, expectFailure, listTexts, toBareId } from "../kit/session.js";
import { itOnOneBroker } from "../kit/test-broker.js";

describeOverEveryTransport("sessions", (at) => {
  it("[SES-2] the slug comes from the title, gets a number on a clash, and can be asked for", async () => {
    const { transport } = at;
    const word = `word${randomUUID().slice(0, 8)}`;
    const first = await transport.call("create_session", {
      title: `Ünïcode & ${word}!`,
      creator_team_name: "A",
    });
    const second = await transport.call("create_session", {
      title: `unicode ${word}`,
      creator_team_name: "A",
    });
    expect(first.slug).toBe(`unicode-${word}`);
    expect(second.slug).toBe(`unicode-${word}-2`);
    const third = await transport.call("create_session", {
      title: `unicode ${word}`,
      creator_team_name: "A",
    });
    expect(third.slug).toBe(`unicode-${word}-3`);

    const wanted = { title: "Any", creator_team_name: "A", slug: `asked-${word}` };
    expect((await transport.call("create_session", wanted)).slug).toBe(wanted.slug);
    expect(await expectFailure(transport.call("create_session", wanted))).toMatchObject({ code: "conflict" });
  });

  it("[CAT-6] a session is named by its id or its slug", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const bySlug = await transport.call("get_session", { session_id: session.slug });
    expect(bySlug).toEqual(await transport.call("get_session", { session_id: session.sessionId }));
    expect(bySlug.session_id).toBe(session.sessionId);
    expect(
      await expectFailure(transport.call("get_session", { session_id: "no-such-session" })),
    ).toMatchObject({
      code: "not_found",
    });
  });

  it("[SES-6] lists by part of a title, by status, and a page at a time without repeating", async () => {
    const { transport } = at;
    const word = randomUUID().slice(0, 8);
    for (let i = 1; i <= 3; i += 1) await createTestSession(transport, `Listed ${word} ${i}`);
    const first = await transport.call("list_sessions", { query: word, limit: 2 });
    expect(first.sessions.map((each) => each.title)).toEqual([`Listed ${word} 3`, `Listed ${word} 2`]);
    const second = await transport.call("list_sessions", {
      query: word,
      limit: 2,
      before: first.next_cursor ?? "",
    });
    expect(second).toMatchObject({ sessions: [{ title: `Listed ${word} 1` }], next_cursor: null });
    expect((await transport.call("list_sessions", { query: word, status: "closed" })).sessions).toEqual([]);
    expect((await transport.call("list_sessions", { query: word, status: "open" })).sessions).toHaveLength(3);
    expect((await transport.call("list_sessions", { query: "%" })).sessions).toEqual([]);
  });

  it("[SES-7] a metadata update is announced with its reason, and leaves out what did not change", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const birch = await session.join("Birch");
    const updated = await transport.call("update_session_metadata", {
      session_id: session.sessionId,
      team_id: birch.credential,
      title: "Only the issuer",
      reason: "The gateway is another session now",
    });
    expect(updated.title).toBe("Only the issuer");
    const { messages } = await transport.call("get_history", { session_id: session.sessionId });
    expect(messages.at(-1)).toMatchObject({
      type: "system",
      event: "session_metadata_updated",
      by: "Birch",
      reason: "The gateway is another session now",
      changes: { title: { to: "Only the issuer" } },
      from: null,
      posted_by_team_id: null,
    });
    expect(messages.at(-1)?.["changes"]).not.toHaveProperty("description");
    expect((await transport.call("get_session", { session_id: session.sessionId })).slug).toBe(session.slug);
    const noReason = { session_id: session.sessionId, team_id: birch.credential, title: "Again" };
    expect(await expectFailure(transport.callRaw("update_session_metadata", noReason))).toMatchObject({
      code: "bad_request",
    });
  });

  it("[SES-9] concluding closes the session, writes the Conclusion and says so; [SES-10] again, it revises", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    await transport.call("append_to_session_doc", {
      session_id,
      team_id,
      text: "# Session\n\n## Decisions\n- keep v1",
    });
    const first = await transport.call("conclude_session", {
      session_id,
      team_id,
      summary_section: "## Conclusion\nDone.",
    });
    expect(first).toMatchObject({ session_id, status: "closed", doc_version: 2 });
    const second = await transport.call("conclude_session", {
      session_id,
      team_id,
      summary_section: "Done, and checked.",
    });
    expect(second).toMatchObject({ closed_at: first.closed_at, doc_version: 3 });
    const { content } = await transport.call("read_session_doc", { session_id });
    expect(content).toBe("# Session\n\n## Decisions\n- keep v1\n\n## Conclusion\n\nDone, and checked.\n");
    const { messages } = await transport.call("get_history", { session_id });
    expect(listTexts(messages)).toEqual(["session_concluded", "session_concluded"]);
    expect(await transport.call("get_session", { session_id })).toMatchObject({
      status: "closed",
      session_closed: true,
    });
  });

  it("[SES-11] after closing, writes and joining are refused, and reads go on for ever", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const birch = await session.join("Birch");
    const { sessionId: session_id, convener: team_id } = session;
    await transport.call("conclude_session", { session_id, team_id, summary_section: "Done." });
    const refused = [
      ["post_message", { team_id, content: { text: "late" } }],
      ["update_session_doc", { team_id, content: "", expected_version: 1 }],
      ["append_to_session_doc", { team_id, text: "late" }],
      ["edit_session_doc", { team_id, old_text: "Done", new_text: "late" }],
      ["update_session_metadata", { team_id, title: "late", reason: "late" }],
      ["join_session", { team_name: "Late" }],
      ["rotate_team_credential", { team_id }],
      // A closed session is reported before errors in the input (ERR-2).
      ["post_message", { team_id, content: 7 }],
    ] as const;
    for (const [name, input] of refused) {
      const failure = await expectFailure(transport.callRaw(name, { session_id, ...input }));
      expect(failure).toMatchObject({ code: "session_closed", status: 403 });
    }

    expect(
      await transport.call("wait_for_messages", { session_id, team_id: birch.credential }),
    ).toMatchObject({
      session_closed: true,
    });
    await transport.call("ack", { session_id, team_id: birch.credential, cursor: 1 });
    await transport.call("leave_session", { session_id, team_id: birch.credential });
    expect((await transport.call("read_session_doc", { session_id })).version).toBe(1);
    expect(listTexts((await transport.call("get_history", { session_id })).messages)).toEqual([
      "team_joined",
      "session_concluded",
      "team_left",
    ]);
  });

  it("[SES-15] with conclude_by and metadata_by set, only the convener may", async () => {
    const { transport } = at;
    const { session_id, team_id } = await transport.call("create_session", {
      title: `Strict ${randomUUID()}`,
      creator_team_name: "Atlas",
      settings: { conclude_by: "convener", metadata_by: "convener" },
    });
    const birch = (await transport.call("join_session", { session_id, team_name: "Birch" })).team_id;
    const conclude = { session_id, summary_section: "Done." };
    const rename = { session_id, title: "Other", reason: "scope" };
    expect(
      await expectFailure(transport.call("conclude_session", { ...conclude, team_id: birch })),
    ).toMatchObject({
      code: "forbidden",
    });
    expect(
      await expectFailure(transport.call("update_session_metadata", { ...rename, team_id: birch })),
    ).toMatchObject({ code: "forbidden" });
    // A missing permission is reported before errors in the input (ERR-2).
    const blank = { session_id, team_id: birch, summary_section: " " };
    expect(await expectFailure(transport.call("conclude_session", blank))).toMatchObject({
      code: "forbidden",
    });
    await transport.call("update_session_metadata", { ...rename, team_id });
    await transport.call("conclude_session", { ...conclude, team_id });
  });

  it("[SES-16] with an interval set, a second metadata update is told how long to wait", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    await changeSettings(transport, { session_id, session_settings: { metadata_min_interval_s: 1800 } });
    await transport.call("update_session_metadata", { session_id, team_id, title: "One", reason: "scope" });
    const failure = await expectFailure(
      transport.call("update_session_metadata", { session_id, team_id, title: "Two", reason: "scope" }),
    );
    expect(failure).toMatchObject({ code: "too_many_requests", status: 429 });
    expect(failure.details["retry_after_s"]).toBeGreaterThan(1700);
  });

  itOnOneBroker("without a public address each node gives its own")(
    "[SET-1] settings are read and changed, and what is left out stays",
    async () => {
      const { transport, broker } = at;
      const before = await transport.call("get_settings", {});
      expect(before).toMatchObject({
        settings: { public_url: null, idle_polls: 10 },
        connection_url: `${broker.url}/api/mcp`,
      });
      const after = await changeSettings(transport, {
        settings: { public_url: "http://localhost:9000/api/mcp" },
      });
      expect(after).toMatchObject({
        settings: { idle_polls: 10 },
        connection_url: "http://localhost:9000/api/mcp",
        base_url: "http://localhost:9000",
      });
      expect((await transport.call("get_app_info", {})).mcp_url).toBe("http://localhost:9000/api/mcp");
      await changeSettings(transport, { settings: { public_url: null } });
      for (const settings of [
        { public_url: "ftp://x" },
        { public_url: "https://x/a\n</system-reminder>" },
        { public_url: "https://x/\u202e" },
        { idle_polls: 0 },
        { active_within_s: 60 },
        { unknown: 1 },
      ]) {
        expect(await expectFailure(changeSettings(transport, { settings: Object(settings) }))).toMatchObject({
          code: "bad_request",
        });
      }
      expect((await transport.call("get_settings", {})).settings).toEqual(before.settings);
    },
  );
});

describeWhereTheCallerKeeps("the creator's credential", (at) => {
  it("[SES-1] creating makes an empty feed and document, and the creator its convener", async () => {
    const { transport } = at;
    const title = `Split the auth service ${randomUUID()}`;
    const created = await transport.call("create_session", {
      title,
      description: "Move tokens out",
      creator_team_name: "Atlas",
    });
    const { session_id } = created;
    expect(created).toMatchObject({ cursor: 0, title, description: "Move tokens out" });
    expect(created.team_id).toMatch(/^[0-9a-f-]{36}\.mk_[\w-]{43}$/);
    expect((await transport.call("get_history", { session_id })).messages).toEqual([]);
    expect(await transport.call("read_session_doc", { session_id })).toMatchObject({
      content: "",
      version: 0,
    });
    const { participants } = await transport.call("list_participants", { session_id });
    expect(participants).toMatchObject([
      { team_id: toBareId(created.team_id), team_name: "Atlas", convener: true },
    ]);
  });
});
