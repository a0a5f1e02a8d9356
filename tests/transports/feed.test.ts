import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { describeOverEveryTransport, describeWhereTheCallerKeeps } from "../kit/every-transport.js";
import { createTestSession, expectFailure, listTexts, toBareId } from "../kit/session.js";

describeOverEveryTransport("the feed", (at) => {
  it("[FEED-8] a message says who wrote what, when, and its place", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const posted = await session.post(session.convener, "Token table is *ready*");
    const { messages } = await transport.call("get_history", { session_id: session.slug });
    expect(messages).toEqual([
      {
        id: posted.message_id,
        session_id: session.sessionId,
        sequence: 1,
        type: "chat",
        posted_by_team_id: toBareId(session.convener),
        from: { team: "Atlas", human: false },
        to: ["*"],
        priority: "next",
        content: { text: "Token table is *ready*" },
        posted_at: posted.at,
      },
    ]);
    expect(posted.cursor).toBe(1);
  });

  it("[FEED-12] every storable text comes back exactly as it was sent", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const texts = [
      "  kept  \n",
      "emoji \u{1f9ff} and \u05e2\u05d1\u05e8\u05d9\u05ea",
      '"\\/\b\f\t',
      "a\u2028b\u2029\ufeff",
      "</script>{}[]",
      "x".repeat(64 * 1024),
    ];
    for (const text of texts) await session.post(session.convener, text);
    const { messages } = await transport.call("get_history", { session_id: session.sessionId });
    expect(listTexts(messages)).toEqual(texts);
  });

  it("[FEED-14] history is read backwards, oldest first within a page", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    for (let i = 1; i <= 5; i += 1) await session.post(session.convener, String(i));
    const newest = await transport.call("get_history", { session_id, limit: 2 });
    expect(newest).toMatchObject({ next_cursor: 4, has_more: true });
    expect(listTexts(newest.messages)).toEqual(["4", "5"]);
    const older = await transport.call("get_history", { session_id, limit: 3, before_cursor: 4 });
    expect(older).toMatchObject({ next_cursor: null, has_more: false });
    expect(listTexts(older.messages)).toEqual(["1", "2", "3"]);
    for (const limit of [0, -3, 501]) {
      expect((await transport.call("get_history", { session_id, limit })).messages).toHaveLength(5);
    }
  });

  it("[FEED-11] only chat can be posted; [FEED-16] and not a blank text", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    for (const type of ["system", "team_joined", ""]) {
      const failure = await expectFailure(
        transport.callRaw("post_message", { session_id, team_id, content: { text: "x" }, type }),
      );
      expect(failure).toMatchObject({ code: "bad_request" });
    }
    expect(await expectFailure(session.post(team_id, " \n\t"))).toMatchObject({ code: "bad_request" });
    expect((await transport.call("get_session", { session_id })).last_sequence).toBe(0);
  });

  it("[FEED-5] the same key is one message; [IDEM-8] with another text it is a conflict", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const idempotency_key = randomUUID();
    const post = (text: string) =>
      transport.call("post_message", { session_id, team_id, content: { text }, idempotency_key });
    const answers = await Promise.all(Array.from({ length: 10 }, () => post("once")));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await expectFailure(post("other"))).toMatchObject({ code: "conflict" });
    const birch = await session.join("Birch");
    const other = await transport.call("post_message", {
      session_id,
      team_id: birch.credential,
      content: { text: "once" },
      idempotency_key,
    });
    expect(other.cursor).toBe(3);
  });
});

describeOverEveryTransport("idempotent writes", (at) => {
  it("[IDEM-1] the same key gives the first result of every write, a credential included", async () => {
    const { transport } = at;
    const key = () => ({ idempotency_key: randomUUID() });
    const create = { title: "Keyed", creator_team_name: "Atlas", ...key() };
    const created = await transport.call("create_session", create);
    expect(await transport.call("create_session", create)).toEqual(created);
    const { session_id, team_id } = created;

    const join = { session_id, team_name: "Birch", ...key() };
    const joined = await transport.call("join_session", join);
    expect((await transport.call("join_session", join)).team_id).toBe(joined.team_id);

    const append = { session_id, team_id, text: "- note", ...key() };
    expect(await transport.call("append_to_session_doc", append)).toEqual(
      await transport.call("append_to_session_doc", append),
    );
    const rename = { session_id, team_id, title: "Keyed twice", reason: "scope", ...key() };
    expect(await transport.call("update_session_metadata", rename)).toEqual(
      await transport.call("update_session_metadata", rename),
    );
    const leave = { session_id, team_id: joined.team_id, ...key() };
    expect(await transport.call("leave_session", leave)).toEqual(
      await transport.call("leave_session", leave),
    );

    const { messages } = await transport.call("get_history", { session_id });
    expect(listTexts(messages)).toEqual(["team_joined", "session_metadata_updated", "team_left"]);
    expect((await transport.call("get_session", { session_id })).document_version).toBe(1);
  });

  it("[IDEM-2] the same key with another input is a conflict, and [IDEM-7] must not be guessable without a credential", async () => {
    const { transport } = at;
    const idempotency_key = randomUUID();
    await transport.call("create_session", { title: "One", creator_team_name: "Atlas", idempotency_key });
    const other = { title: "Two", creator_team_name: "Atlas", idempotency_key };
    expect(await expectFailure(transport.call("create_session", other))).toMatchObject({ code: "conflict" });
    const short = { title: "One", creator_team_name: "Atlas", idempotency_key: "fifteen chars!!" };
    expect(await expectFailure(transport.call("create_session", short))).toMatchObject({
      code: "bad_request",
    });
  });

  it("[IDEM-5] of calls with one key at the same moment, one takes effect", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const append = {
      session_id: session.sessionId,
      team_id: session.convener,
      text: "- once",
      idempotency_key: randomUUID(),
    };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => transport.call("append_to_session_doc", append)),
    );
    expect(new Set(answers.map((answer) => answer.version))).toEqual(new Set([1]));
  });

  it("[IDEM-4] a call that failed leaves its key free", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const edit = { session_id, team_id, old_text: "a", new_text: "b", idempotency_key: randomUUID() };
    expect(await expectFailure(transport.call("edit_session_doc", edit))).toMatchObject({ code: "conflict" });
    await transport.call("append_to_session_doc", { session_id, team_id, text: "a" });
    expect(await transport.call("edit_session_doc", edit)).toEqual({ version: 2 });
  });
});

describeWhereTheCallerKeeps("credentials in the feed", (at) => {
  it("[AUTH-3] a missing, bare, garbled or foreign credential is refused alike", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const other = await createTestSession(transport);
    const [id, secret = ""] = session.convener.split(".mk_");
    const { sessionId: session_id } = session;
    const credentials = [
      undefined,
      id,
      `${id}.mk_`,
      `${id}.mk_${"a".repeat(43)}`,
      `${randomUUID()}.mk_${secret}`,
      other.convener,
      "x",
    ];
    for (const team_id of credentials) {
      const failure = await expectFailure(
        transport.callRaw("post_message", {
          session_id,
          content: { text: "x" },
          ...(team_id === undefined ? {} : { team_id }),
        }),
      );
      expect(failure).toMatchObject({ code: "unauthorized", status: 401 });
    }
    // Reading needs no credential, but an invalid credential is refused.
    await transport.call("get_history", { session_id });
    expect(
      await expectFailure(transport.call("get_history", { session_id, team_id: other.convener })),
    ).toMatchObject({
      code: "unauthorized",
    });
  });

  it("[AUTH-6] a text that quotes a live credential is refused, and nothing is stored", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const other = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    for (const quoted of [session.convener, other.convener]) {
      expect(await expectFailure(session.post(team_id, `I am ${quoted}, hello`))).toMatchObject({
        code: "bad_request",
      });
      const append = transport.call("append_to_session_doc", { session_id, team_id, text: quoted });
      expect(await expectFailure(append)).toMatchObject({ code: "bad_request" });
    }
    await session.post(team_id, `${randomUUID()}.mk_${"a".repeat(43)} is nobody's`);
    expect(await transport.call("get_session", { session_id })).toMatchObject({
      last_sequence: 1,
      document_version: 0,
    });
  });
});
