import { expect, it } from "vitest";
import { describeOverEveryTransport } from "../kit/every-transport.js";
import { createTestSession, expectFailure } from "../kit/session.js";

describeOverEveryTransport("the document", (at) => {
  it("[DOC-1] every write makes one new version, and [DOC-9] the history keeps each", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    expect(
      await transport.call("update_session_doc", {
        session_id,
        team_id,
        content: "one\n",
        expected_version: 0,
      }),
    ).toEqual({ version: 1 });
    expect(await transport.call("append_to_session_doc", { session_id, team_id, text: "two" })).toEqual({
      version: 2,
    });
    expect(
      await transport.call("edit_session_doc", { session_id, team_id, old_text: "one", new_text: "1" }),
    ).toEqual({ version: 3 });
    expect(await transport.call("read_session_doc", { session_id })).toMatchObject({
      content: "1\ntwo",
      version: 3,
    });
    expect(await transport.call("read_session_doc", { session_id, version: 1 })).toMatchObject({
      content: "one\n",
      version: 1,
      current_version: 3,
    });
    expect(await transport.call("read_session_doc", { session_id, version: 0 })).toMatchObject({
      content: "",
    });
    expect(await expectFailure(transport.call("read_session_doc", { session_id, version: 4 }))).toMatchObject(
      {
        code: "not_found",
      },
    );

    const { versions, has_more } = await transport.call("list_doc_versions", { session_id, limit: 2 });
    expect(versions).toMatchObject([
      { version: 3, written_by: "Atlas", bytes: 5 },
      { version: 2, bytes: 7 },
    ]);
    expect(has_more).toBe(true);
    expect(
      (await transport.call("list_doc_versions", { session_id, before_version: 2 })).versions,
    ).toHaveLength(1);
  });

  it("[DOC-9] versions can be restricted to those of a team, page by page", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener } = session;
    const { credential: birch } = await session.join("Birch");
    for (const team_id of [convener, birch, convener, birch, birch, convener])
      await transport.call("append_to_session_doc", { session_id, team_id, text: "- a line" });
    const list = async (before?: number) => {
      const given = before === undefined ? {} : { before_version: before };
      // Names of teams are found in any case.
      const own = { session_id, team: "birch", limit: 2 };
      const { versions, has_more } = await transport.call("list_doc_versions", { ...own, ...given });
      return { versions: versions.map(({ version, written_by }) => [version, written_by]), has_more };
    };
    expect(await list()).toEqual({
      versions: [
        [5, "Birch"],
        [4, "Birch"],
      ],
      has_more: true,
    });
    expect(await list(4)).toEqual({ versions: [[2, "Birch"]], has_more: false });
    expect(
      await expectFailure(transport.call("list_doc_versions", { session_id, team: "Nobody" })),
    ).toMatchObject({ code: "not_found", message: expect.stringContaining('No team "Nobody" was ever') });
  });

  it("[DOC-4] a stale version is a conflict that says what changed", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    await transport.call("update_session_doc", {
      session_id,
      team_id,
      content: "a\nb\n",
      expected_version: 0,
    });
    await transport.call("update_session_doc", {
      session_id,
      team_id,
      content: "a\nB\n",
      expected_version: 1,
    });
    const failure = await expectFailure(
      transport.call("update_session_doc", { session_id, team_id, content: "mine", expected_version: 1 }),
    );
    expect(failure).toMatchObject({
      code: "conflict",
      status: 409,
      details: { current_version: 2, content: "a\nB\n" },
    });
    expect(failure.details["diff"]).toContain("-b\n+B\n");
    const ahead = { session_id, team_id, content: "mine", expected_version: 9 };
    expect(await expectFailure(transport.call("update_session_doc", ahead))).toMatchObject({
      details: { current_version: 2 },
    });
  });

  it("[DOC-4] a long document comes with a conflict only when it is asked for", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const content = "line\n".repeat(2_000);
    await transport.call("update_session_doc", { session_id, team_id, content, expected_version: 0 });
    const stale = { session_id, team_id, content: "mine", expected_version: 0 };
    expect((await expectFailure(transport.call("update_session_doc", stale))).details).not.toHaveProperty(
      "content",
    );
    const asked = await expectFailure(
      transport.call("update_session_doc", { ...stale, include_content: true }),
    );
    expect(asked.details["content"]).toBe(content);
  });

  it("[DOC-3] of many writers with one expected version exactly one succeeds", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    for (let version = 0; version < 3; version += 1) {
      const writes = Array.from({ length: 8 }, (_, i) =>
        transport.call("update_session_doc", {
          session_id,
          team_id,
          content: `writer ${i}`,
          expected_version: version,
        }),
      );
      const outcomes = await Promise.allSettled(writes);
      expect(outcomes.filter((each) => each.status === "fulfilled")).toHaveLength(1);
    }
  });

  it("[DOC-5] appends at the same time are all there, each on a line of its own", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const lines = Array.from({ length: 12 }, (_, i) => `- note ${i}`);
    await Promise.all(
      lines.map((text) => transport.call("append_to_session_doc", { session_id, team_id, text })),
    );
    const { content = "", version } = await transport.call("read_session_doc", { session_id });
    expect(version).toBe(lines.length);
    expect(content.split("\n").sort()).toEqual([...lines].sort());
  });

  it("[DOC-6] an edit must find its place exactly once", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    await transport.call("append_to_session_doc", { session_id, team_id, text: "aaa b" });
    const edit = (old_text: string) =>
      transport.call("edit_session_doc", { session_id, team_id, old_text, new_text: "x" });
    expect(await expectFailure(edit("c"))).toMatchObject({
      code: "conflict",
      details: { matches: 0, current_version: 1 },
    });
    expect(await expectFailure(edit("aa"))).toMatchObject({ code: "conflict", details: { matches: 2 } });
    expect(await edit("b")).toEqual({ version: 2 });
  });

  it("[DOC-7] a section can be read by its heading, [DOC-8] and what changed since a version", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    await transport.call("append_to_session_doc", {
      session_id,
      team_id,
      text: "# Session\n\n## Decisions\n- keep v1\n\n## Notes\n- x",
    });
    await transport.call("append_to_session_doc", { session_id, team_id, text: "- y" });
    const section = await transport.call("read_session_doc", { session_id, section: "decisions" });
    expect(section.content?.trim()).toBe("## Decisions\n- keep v1");
    expect(
      await expectFailure(transport.call("read_session_doc", { session_id, section: "Goals" })),
    ).toMatchObject({
      code: "not_found",
      message: expect.stringContaining("Decisions"),
    });
    const since = await transport.call("read_session_doc", { session_id, since_version: 1 });
    expect(since).not.toHaveProperty("content");
    expect(since.diff).toContain("+- y");
    expect((await transport.call("read_session_doc", { session_id, since_version: 2 })).diff).toBe("");
    const both = { session_id, section: "Notes", since_version: 1 };
    expect(await expectFailure(transport.call("read_session_doc", both))).toMatchObject({
      code: "bad_request",
    });
  });

  it("[DOC-10] a document that would be too large is refused, and stays as it was", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const content = "x".repeat(512 * 1024 - 1);
    await transport.call("update_session_doc", { session_id, team_id, content, expected_version: 0 });
    expect(
      await expectFailure(transport.call("append_to_session_doc", { session_id, team_id, text: "y" })),
    ).toMatchObject({
      code: "payload_too_large",
      status: 413,
    });
    expect(await transport.call("read_session_doc", { session_id })).toMatchObject({ version: 1 });
  });
});
