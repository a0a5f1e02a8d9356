import { randomUUID } from "node:crypto";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

describe("what pages show of many things at once", () => {
  let transport: TransportClient;
  const cleanup = createCleanup();
  beforeAll(async () => {
    const broker = await startTestBroker({}, cleanup);
    transport = await brokerTransports.websocket(broker.url);
    cleanup(transport.close);
  });
  const titles = ({ sessions }: { sessions: readonly { title: string }[] }) =>
    sessions.map((each) => each.title);

  it("[ROSTER-7] teams have colours in the order of joining, also those that join at the same moment", async () => {
    const session = await createTestSession(transport);
    await Promise.all(Array.from({ length: 8 }, (_, i) => session.join(`Team ${i}`)));
    const { participants } = await transport.call("list_participants", { session_id: session.slug });
    const byColour = participants.toSorted((a, b) => a.colour - b.colour);
    expect(byColour.map(({ colour }) => colour)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(byColour[0]).toMatchObject({ team_name: "Atlas", convener: true });
  });

  it("[SES-17] sorts by activity, by what was said, by creation and by title, a page at a time", async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const made = [];
    for (const name of ["Cedar", "alder", "Birch"])
      made.push(await createTestSession(transport, `${name} ${word}`));
    const [cedar, alder, birch] = made;
    await cedar?.post(cedar.convener, "said last");
    await alder?.join("Happened last");
    const sorted = async (sort: "activity" | "said" | "created" | "title") => {
      const all = titles(await transport.call("list_sessions", { query: word, sort }));
      const walked: string[] = [];
      let before: string | null | undefined;
      while (before !== null) {
        const page = await transport.call("list_sessions", { query: word, sort, limit: 2, before });
        walked.push(...titles(page));
        before = page.next_cursor;
      }
      expect(walked).toEqual(all);
      return all.map((title) => title.split(" ")[0]);
    };
    expect(await sorted("activity")).toEqual(["alder", "Cedar", "Birch"]);
    expect(await sorted("said")).toEqual(["Cedar", "Birch", "alder"]);
    expect(await sorted("created")).toEqual(["Birch", "alder", "Cedar"]);
    expect(await sorted("title")).toEqual(["alder", "Birch", "Cedar"]);
    const { next_cursor: before } = await transport.call("list_sessions", { query: word, limit: 1 });
    for (const wrong of [{ before: before ?? "", sort: "title" as const }, { before: "eyJ9" }]) {
      expect(await expectFailure(transport.call("list_sessions", wrong))).toMatchObject({
        code: "bad_request",
      });
    }
    await birch?.join(`Only ${word}`);
    expect(titles(await transport.call("list_sessions", { team: `only ${word}` }))).toEqual([
      `Birch ${word}`,
    ]);
  });

  it("[SES-18] finds the sessions where something waits for a human", async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const asking = await createTestSession(transport, `Asking ${word}`);
    await createTestSession(transport, `Calm ${word}`);
    const { sessionId: session_id, convener: team_id } = asking;
    await transport.call("post_message", { session_id, team_id, content: { text: "Which?", kind: "ask" } });
    const needing = await transport.call("list_sessions", { query: word, needs: true });
    expect(titles(needing)).toEqual([`Asking ${word}`]);
    expect(await transport.call("list_sessions", { query: word })).toMatchObject({ sessions: { length: 2 } });
  });

  it("[PEER-19] tells what each agent does, whom it waits for and what it has not read, those that need somebody first", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: atlas, slug } = session;
    const [birch, cedar] = [await session.join("Birch"), await session.join("Cedar")];
    await transport.call("set_summary", { session_id, team_id: atlas, summary: "Rotates keys" });
    await transport.call("create_task", { session_id, team_id: atlas, title: "Rotate" });
    await transport.call("claim_task", { session_id, team_id: atlas, task: 1 });
    const usage = [{ model: "opus", input_tokens: 900, output_tokens: 100, cost_usd: 0.5 }];
    await transport.call("report_usage", { session_id, team_id: atlas, usage });
    await transport.call("send_message", { session_id, team_id: atlas, to: "Birch", message: "Here?" });
    const ask = {
      session_id,
      team_id: cedar.credential,
      content: { text: "Which key?", kind: "ask" as const },
    };
    const { cursor } = await transport.call("post_message", { ...ask, to: ["Birch"] });
    const read = async () => transport.call("list_agents", { session: slug });
    const { agents, talk } = await read();
    expect(agents.map(({ team }) => team)).toEqual(["Cedar", expect.any(String), expect.any(String)]);
    const of = (team: string) => agents.find((each) => each.team === team);
    expect(of("Cedar")).toMatchObject({
      waits: [{ kind: "ask", number: cursor, on: ["Birch"], human: false, text: "Which key?" }],
      unread: 0,
      tokens: null,
    });
    expect(of("Atlas")).toMatchObject({
      session: slug,
      summary: "Rotates keys",
      task: { task: 1, title: "Rotate" },
      tokens: 1000,
      cost_usd: 0.5,
      waits: [],
    });
    expect(of("Birch")).toMatchObject({ unread: 2, task: null });
    const ids = (team: string) => of(team)?.peer_id ?? "";
    expect(talk).toMatchObject([
      { from: ids("Atlas"), to: [ids("Birch")], ask: false },
      { from: ids("Cedar"), to: [ids("Birch")], ask: true },
    ]);

    // Agents that need a human come before agents that wait for another agent.
    const blocked = { session_id, team_id: birch.credential, status: "blocked" as const, reason: "a key" };
    await transport.call("set_status", blocked);
    expect((await read()).agents[0]).toMatchObject({ team: "Birch", declared: { reason: "a key" } });
    const content = { text: "The old one.", answer: "The old one." };
    await transport.call("post_message", {
      ...{ session_id, team_id: birch.credential },
      ...{ content, reply_to: cursor },
    });
    expect((await read()).agents.flatMap(({ waits }) => waits)).toEqual([]);
    expect(await expectFailure(transport.call("list_agents", { session: "nowhere" }))).toMatchObject({
      code: "not_found",
    });
  });

  it("[SES-19] [SES-20] says who is present, what is unread, who holds it, and what it came to", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id, slug } = session;
    const birch = await session.join("Birch");
    const { person_id } = await makePerson(transport, "Ana");
    await transport.call("set_status", {
      session_id,
      team_id: birch.credential,
      status: "blocked",
      reason: "a key",
    });
    await session.post(team_id, "for all");
    const listed = async () => {
      const { sessions } = await transport.call("list_sessions", { query: slug, team_id: person_id });
      const {
        settings: _,
        last_change: __,
        agent_messages: ___,
        unfinished_tasks: _________,
        state_keys: ____,
        memories: _____,
        progress_entries: ______,
        seal: _______,
        origin: ________,
        ...own
      } = await transport.call("get_session", {
        session_id,
        team_id: person_id,
      });
      expect(sessions).toEqual([own]);
      return own;
    };
    expect(await listed()).toMatchObject({ unread: 1, held: null, conclusion: null, quiet_since: null });
    expect((await listed()).present).toEqual([
      expect.objectContaining({ team_name: "Atlas", colour: 0, status: "active", blocked: false }),
      expect.objectContaining({ team_name: "Birch", colour: 1, polling: false, blocked: true }),
    ]);
    await transport.call("hold_session", { session_id, team_id: person_id, reason: "a look" });
    expect(await listed()).toMatchObject({ held: { by: "Ana", reason: "a look" } });
    await transport.call("resume_session", { session_id, team_id: person_id });
    const summary_section = "### Outcome\n\n> **Tokens** are in [the vault](https://example.org).\n\nMore.";
    await transport.call("conclude_session", { session_id, team_id, summary_section });
    await transport.call("leave_session", { session_id, team_id: birch.credential });
    const closed = await listed();
    expect(closed.conclusion).toBe("Tokens are in the vault.");
    expect(closed.present.map((team) => team.team_name)).toEqual(["Atlas", "Ana"]);
  });

  it("[SES-21] get_session tells who last changed title or description, and why", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    expect((await transport.call("get_session", { session_id })).last_change).toBeNull();
    const change = {
      session_id,
      team_id,
      description: "Only the issuer",
      reason: "The gateway is elsewhere",
    };
    const { updated_at } = await transport.call("update_session_metadata", change);
    const { last_change } = await transport.call("get_session", { session_id });
    expect(last_change).toEqual({ by: "Atlas", reason: "The gateway is elsewhere", at: updated_at });
  });

  it("[SES-21] get_session counts what is in its state and what was remembered in it", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const count = async () => {
      const { state_keys, memories } = await transport.call("get_session", { session_id });
      return { state_keys, memories };
    };
    expect(await count()).toEqual({ state_keys: 0, memories: 0 });
    for (const key of ["deploy", "retries"]) {
      await transport.call("set_state", { session_id, team_id, key, value: 1 });
    }
    await transport.call("set_state", {
      session_id,
      team_id,
      scope: "mesh",
      key: `all ${session_id}`,
      value: 1,
    });
    await transport.call("delete_state", { session_id, team_id, key: "retries" });
    const [{ id }] = [
      await transport.call("remember", { team_id, content: "The limit is per key." }),
      await transport.call("remember", { team_id, content: "The limit is 100." }),
    ];
    expect(await count()).toEqual({ state_keys: 1, memories: 2 });
    await transport.call("forget", { team_id, id, reason: "It was raised." });
    expect(await count()).toEqual({ state_keys: 1, memories: 1 });
  });

  it("[DOC-11] reads the document as it stood at a time", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    for (const text of ["one", "two", "three"]) {
      await transport.call("append_to_session_doc", { session_id, team_id, text });
    }
    const { versions } = await transport.call("list_doc_versions", { session_id });
    const second = versions.find(({ version }) => version === 2)?.written_at ?? "";
    const stood = versions.filter(({ written_at }) => written_at <= second)[0]?.version ?? 0;
    const doc = await transport.call("read_session_doc", { session_id, at: second });
    expect(doc).toMatchObject({
      version: stood,
      current_version: 3,
      content: "one\ntwo\nthree".split("\n").slice(0, stood).join("\n"),
    });
    const before = await transport.call("read_session_doc", { session_id, at: "2001-01-01T00:00:00.000Z" });
    expect(before).toMatchObject({ version: 0, content: "" });
    const since = { session_id, at: "2001-01-01T00:00:00.000Z", since_version: 1 };
    expect(await expectFailure(transport.call("read_session_doc", since))).toMatchObject({
      code: "bad_request",
    });
  });

  it("[TIME-1] counts each team's chat in equal spans; [TIME-2] marks what stands out, in order", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const birch = await session.join("Birch");
    await session.join("Silent");
    for (let i = 0; i < 5; i += 1) await session.post(birch.credential, `Note ${i}`);
    await transport.call("post_message", { session_id, team_id, content: { text: "Which?", kind: "ask" } });
    await transport.call("append_to_session_doc", { session_id, team_id, text: "# Plan" });
    await transport.call("conclude_session", { session_id, team_id, summary_section: "Done." });
    const timeline = await transport.call("get_timeline", { session_id, buckets: 7 });
    expect(timeline.lanes.map(({ team, colour }) => [team, colour])).toEqual([
      ["Atlas", 0],
      ["Birch", 1],
    ]);
    const sums = timeline.lanes.map(({ counts }) => counts.reduce((sum, each) => sum + each, 0));
    expect(sums).toEqual([1, 5]);
    for (const { counts } of timeline.lanes) expect(counts).toHaveLength(7);
    expect(Date.parse(timeline.from) + 7 * timeline.bucket_ms).toBeGreaterThan(Date.parse(timeline.to));
    expect(timeline.marks.map(({ kind }) => kind).toSorted()).toEqual(
      ["ask", "concluded", "document", "document", "joined", "joined"].toSorted(),
    );
    const times = timeline.marks.map(({ at }) => at);
    expect(times).toEqual(times.toSorted());
    expect(timeline.marks_left_out).toBe(0);

    const nothing = { from: "2001-01-01T00:00:00.000Z", to: "2001-01-02T00:00:00.000Z" };
    expect(await transport.call("get_timeline", { session_id, ...nothing })).toMatchObject({
      lanes: [],
      marks: [],
    });
    const crossed = { session_id, from: nothing.to, to: nothing.from };
    expect(await expectFailure(transport.call("get_timeline", crossed))).toMatchObject({
      code: "bad_request",
    });
  });

  it("[TIME-3] of more marks than fit the newest are told, and the others counted", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const decide = (round: number) =>
      transport.call("post_message", {
        session_id,
        team_id,
        content: { text: `${round}`, kind: "decision" },
      });
    const decideMany = (count: number) => Promise.all(Array.from({ length: count }, (_, i) => decide(i)));
    for (let round = 1; round <= 10; round += 1) await decideMany(limits.timelineMarksMax / 10);
    const full = await transport.call("get_timeline", { session_id });
    expect([full.marks.length, full.marks_left_out]).toEqual([limits.timelineMarksMax, 0]);
    await decideMany(4);
    const { marks, marks_left_out } = await transport.call("get_timeline", { session_id });
    expect(marks).toHaveLength(limits.timelineMarksMax);
    expect(marks_left_out).toBe(4);
    expect([marks[0]?.sequence, marks.at(-1)?.sequence]).toEqual([5, 504]);
  });

  it("[TIME-1] [LIMIT-1] timelineBucketsMax", async () => {
    const { sessionId: session_id } = await createTestSession(transport);
    for (const buckets of [limits.timelineBucketsMax - 1, limits.timelineBucketsMax]) {
      expect(await transport.call("get_timeline", { session_id, buckets })).toMatchObject({ lanes: [] });
    }
    const beyond = { session_id, buckets: limits.timelineBucketsMax + 1 };
    expect(await expectFailure(transport.call("get_timeline", beyond))).toMatchObject({
      code: "bad_request",
    });
  });

  it("[SEARCH-9] finds state by its key and by its value, of a session and of the mesh", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const word = `q${randomUUID().replaceAll("-", "").slice(0, 10)}`;
    const set = (key: string, value: unknown, scope?: "mesh") =>
      transport.call("set_state", { session_id, team_id, key, value, ...(scope && { scope }) });
    await set(`${word}_frozen`, true);
    await set("window", { why: `until ${word}`, days: [1, 2] });
    await set(`region.${word}`, "eu", "mesh");
    await set("gone", word);
    await transport.call("delete_state", { session_id, team_id, key: "gone" });
    const find = async (query: string, more: object = {}) =>
      (await transport.call("search", { query, kinds: ["state"], ...more })).hits;
    const hits = await find(word);
    expect(hits.map(({ key, session }) => [key, session]).toSorted()).toEqual(
      [
        [`${word}_frozen`, session.slug],
        [`region.${word}`, null],
        ["window", session.slug],
      ].toSorted(),
    );
    expect(hits.at(-1)?.key).toBe("window");
    expect(hits.find(({ key }) => key === "window")).toMatchObject({ kind: "state", by: "Atlas" });
    for (const { marked } of hits) expect(marked).toContain(`«${word}»`);
    expect(await find(word, { session: session.slug })).toHaveLength(2);
    expect((await transport.call("search", { query: word })).hits).toHaveLength(3);
  });
});
