import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { describeOverEveryTransport } from "../kit/every-transport.js";
import { expectFailure } from "../kit/session.js";

/**
 * Calls as written in the descriptions that Merkle was built from. They contain no session, reason or other field that
 * Merkle added.
 */
describeOverEveryTransport("calls as they were promised", (at) => {
  it("[AUTH-15] progress is logged, found and read without a session", async () => {
    const projectId = `p-${randomUUID()}`;
    const { id } = await at.transport.call("log_progress", {
      projectId,
      title: "Implemented user registration endpoint",
      content: "Created POST /api/users endpoint with validation. Wrote integration tests.",
      tags: ["api", "users"],
    });
    const found = await at.transport.call("search_logs", {
      projectId,
      query: "registration",
      startDate: "2025-06-01T00:00:00Z",
      limit: 5,
    });
    expect(found).toMatchObject({ total: 1, entries: [{ id, loggedBy: "agent (guest)" }] });
    expect(await at.transport.call("get_context", { projectId, id })).toMatchObject({ id, projectId });
  });

  it("[AUTH-15] an audit session is started, recorded in and finalized without a session; none is anybody's last", async () => {
    const session_id = `audit-${randomUUID()}`;
    const started = await at.transport.call("audit_session_start", { intent: "Decide", session_id });
    expect(started).toMatchObject({ session_id, task_id: null });
    const record = { type: "decision", content: "In the keyring.", task_id: session_id } as const;
    expect(await expectFailure(at.transport.call("merkle_finalize", {}))).toMatchObject({
      code: "ERR_SESSION_NOT_FOUND",
    });
    const recorded = await at.transport.call("thought_record", { ...record, session_id });
    expect(recorded).toMatchObject({ session_id, recorded_by: "agent (guest)" });
    const sealed = await at.transport.call("merkle_finalize", { session_id });
    expect(await at.transport.call("merkle_root", { session_id })).toEqual(sealed);
    expect(await at.transport.call("audit_verify_chain", { session_id })).toMatchObject({ valid: true });
    const proof = { record_id: recorded.id, session_id };
    expect(await at.transport.call("merkle_proof", proof)).toMatchObject({ root: sealed.root });
  });

  it("[JOIN-8] an empty passcode is nothing; a filled one is answered with what lets one in", async () => {
    const title = `s ${randomUUID()}`;
    const { session_id } = await at.transport.call("create_session", { title, creator_team_name: "Atlas" });
    const birch = { session_id, team_name: "Birch" };
    expect(await at.transport.call("join_session", { ...birch, passcode: "" })).toMatchObject({
      resumed: false,
    });
    expect(
      await expectFailure(at.transport.call("join_session", { ...birch, passcode: "sesame" })),
    ).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("sessions have no passcode"),
    });
  });

  it("[MEM-9] a memory is forgotten by its id alone", async () => {
    const title = `s ${randomUUID()}`;
    const { team_id } = await at.transport.call("create_session", { title, creator_team_name: "Atlas" });
    const { id } = await at.transport.call("remember", {
      content: "Payments rate-limits at 100 req/s",
      team_id,
    });
    expect(await at.transport.call("forget", { id, team_id })).toMatchObject({
      forgotten: { by: "Atlas", reason: "no reason given" },
    });
  });

  it("[CAT-8] a moment is a date, or a time in any form of RFC 3339, wherever one is asked for", async () => {
    const title = `s ${randomUUID()}`;
    const created = await at.transport.call("create_session", { title, creator_team_name: "Atlas" });
    const { session_id, team_id } = created;
    await at.transport.call("post_message", { session_id, team_id, content: { text: "now" } });
    const past = [
      "2020-02-29",
      "2020-02-29t23:59:60z",
      "2020-01-01T00:00:00.123456789+05:30",
      "2020-01-01 00:00Z",
    ];
    for (const moment of past) {
      expect((await at.transport.call("get_history", { session_id, at: moment })).messages).toEqual([]);
      const listed = await at.transport.call("list_memory", { since: moment, limit: 1 });
      expect(listed.memories.length).toBeLessThanOrEqual(1);
      const { sessions } = await at.transport.call("brief", { session: session_id, team_id, since: moment });
      expect(sessions.map(({ after }) => after)).toEqual([0]);
    }
    const far = await at.transport.call("get_history", { session_id, at: "2999-12-31" });
    expect(far.messages).toHaveLength(1);
    for (const moment of ["yesterday", "2021-02-29", "0000-01-01", "9999-12-31T23:59:59-12:00", ""])
      expect(await expectFailure(at.transport.call("get_history", { session_id, at: moment }))).toMatchObject(
        {
          code: "bad_request",
          message: expect.stringContaining("such as 2026-05-02"),
        },
      );
  });

  it("[CAT-9] what is wrong with an input is told in words that help, and with no field that is of no use", async () => {
    const title = `s ${randomUUID()}`;
    const created = await at.transport.call("create_session", { title, creator_team_name: "Atlas" });
    const { session_id, team_id } = created;
    const refusal = async (name: string, input: object) => {
      const { message } = await expectFailure(at.transport.callRaw(name, { session_id, team_id, ...input }));
      expect(message).not.toMatch(
        /Invalid input|Unrecognized|Too small|Too big|idempotency_key|expected string/,
      );
      return message;
    };
    // Over MCP, plain text is accepted as a message (MCP-22).
    if (at.transport.name === "rest" || at.transport.name === "websocket") {
      expect(await refusal("post_message", { content: "hello" })).toContain(
        'content: must be an object: {"text": …}, got text',
      );
      const asText = await refusal("post_message", { text: "hello" });
      expect(asText).toContain('content: is missing; expected an object: {"text": …}');
      expect(asText).toContain('unknown field "text"');
    }
    expect(await refusal("audit_session_start", { purpose: "x" })).toContain('unknown field "purpose"');
    expect(await refusal("send_message", { too: "x", to: "x", message: "y" })).toContain("did you mean to");
    expect(await refusal("send_message", { to: 5, message: "y" })).toContain("to: must be text or a list");
    expect(await refusal("update_session_doc", { content: "x", expected_version: "x" })).toContain(
      "expected_version: must be a number, got text",
    );
    expect(await refusal("set_status", { status: "busy" })).toContain('must be "idle" or "working"');
    expect(await refusal("get_history", { around: 0 })).toContain("around: must be at least 1");
  });

  it("[CAT-10] of a session that is not there the near one is named", async () => {
    const slug = `near-${randomUUID().slice(0, 8)}`;
    const { team_id } = await at.transport.call("create_session", {
      title: slug,
      slug,
      creator_team_name: "Atlas",
    });
    const wrong = { session_id: `${slug}x`, team_id };
    expect(await expectFailure(at.transport.call("get_session", wrong))).toMatchObject({
      code: "not_found",
      message: expect.stringContaining(`Did you mean ${slug}?`),
      details: { next: "list_sessions" },
    });
    const far = await expectFailure(at.transport.call("get_session", { ...wrong, session_id: randomUUID() }));
    expect(far.message).not.toContain("Did you mean");
  });
});
