import { randomUUID } from "node:crypto";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure, type TestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { callTool, initialize } from "../mcp/rpc.js";

let broker: TestBroker;
let transport: TransportClient;
let session: TestSession;
let person: string;
const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await brokerTransports.websocket(broker.url);
  cleanup(transport.close);
  session = await createTestSession(transport);
  person = (await makePerson(transport, "Ana")).person_id;
});

/** Stores memories one after another as the session's convener, all with a tag that no other test uses. */
async function rememberAll(...contents: string[]): Promise<{ ids: string[]; tags: string[] }> {
  const tags = [`t${randomUUID()}`];
  const ids: string[] = [];
  for (const content of contents) {
    ids.push((await transport.call("remember", { content, tags, team_id: session.convener })).id);
  }
  return { ids, tags };
}

async function recalled(query: string, tags: string[]): Promise<string[]> {
  return (await transport.call("recall", { query, tags })).memories.map(({ id }) => id);
}

describe("remembering", () => {
  it("[MEM-1] numbers a mesh's memories, and says who remembered what, when, and in which session", async () => {
    const content = "Refresh tokens rotate on every use.";
    const tags = ["Auth", "auth", "tokens"];
    const first = await transport.call("remember", { content, tags, team_id: session.convener });
    const second = await transport.call("remember", { content, team_id: person });
    expect(first.tags).toEqual(["auth", "tokens"]);
    expect(Number(second.id.slice(4))).toBe(Number(first.id.slice(4)) + 1);
    const { memories } = await transport.call("list_memory", { limit: 2 });
    const { at: rememberedAt } = first;
    const { sessionId: session_id, slug } = session;
    const own = { id: first.id, content, tags: ["auth", "tokens"], rememberedBy: "Atlas", rememberedAt };
    expect(memories).toEqual([
      expect.objectContaining({
        id: second.id,
        rememberedBy: "Ana",
        session_id: null,
        session: null,
        tags: [],
      }),
      { ...own, session_id, session: slug, forgotten: null },
    ]);
  });

  it("[MEM-1] gives many who remember at once each a number of its own, without gaps", async () => {
    const given = await Promise.all(
      Array.from({ length: 8 }, () =>
        transport.call("remember", { content: "at once", team_id: session.convener }),
      ),
    );
    const numbers = given.map(({ id }) => Number(id.slice(4))).sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  });

  it("[MEM-2] takes the credential of any session's team, closed or not, or a person's, and refuses strangers", async () => {
    const closed = await createTestSession(transport);
    const { convener: team_id } = closed;
    const summary_section = "Done.";
    await transport.call("conclude_session", { session_id: closed.sessionId, team_id, summary_section });
    const { id } = await transport.call("remember", { content: "It was a race.", team_id });
    for (const call of [
      () => transport.call("remember", { content: "x" }),
      () => transport.call("remember", { content: "x", team_id: `${team_id.slice(0, -1)}_` }),
      () => transport.call("forget", { id, reason: "x" }),
      () => transport.call("tag_memory", { id, tags: [] }),
    ]) {
      expect(await expectFailure(call())).toMatchObject({ code: "unauthorized" });
    }
    await transport.call("leave_session", { session_id: closed.sessionId, team_id });
    const left = await expectFailure(transport.call("remember", { content: "x", team_id }));
    expect(left).toMatchObject({ code: "unauthorized", message: expect.stringContaining("has left") });
  });

  it("[MEM-2] is done over MCP without a credential by who has joined one session there", async () => {
    const url = `${broker.url}/mcp`;
    const headers = { "mcp-session-id": await initialize(url) };
    const call = (name: string, input: object) => callTool(url, name, input, { headers });
    expect(await expectFailure(call("remember", { content: "x" }))).toMatchObject({ code: "unauthorized" });
    await call("join_session", { session_id: session.slug, team_name: "Birch" });
    const { id } = await call("remember", { content: "Said over MCP." });
    expect((await transport.call("list_memory", { limit: 1 })).memories).toMatchObject([
      { id, rememberedBy: "Birch", session: session.slug },
    ]);
    const other = await createTestSession(transport);
    await call("join_session", { session_id: other.slug, team_name: "Birch" });
    expect(await expectFailure(call("remember", { content: "As whom?" }))).toMatchObject({
      code: "unauthorized",
    });
  });

  it("[MEM-3] refuses what is blank, what no text may hold, and a live credential; keeps once what is sent again with its key", async () => {
    const team_id = session.convener;
    const refused = [
      { content: " \n" },
      { content: "nul \u0000" },
      { content: "x", tags: ["a,b"] },
      { content: `mine: ${team_id}` },
      { content: "x", session_id: session.slug },
    ];
    for (const input of refused) {
      expect(await expectFailure(transport.callRaw("remember", { ...input, team_id }))).toMatchObject({
        code: "bad_request",
      });
    }
    const key = { content: "once", team_id, idempotency_key: randomUUID() };
    expect(await transport.call("remember", key)).toEqual(await transport.call("remember", key));
  });

  it("[LIMIT-1] memoryBytesMax, tagsMax, tagCharsMax and queryCharsMax are taken, and one more is not", async () => {
    const { memoryBytesMax, tagsMax, tagCharsMax, queryCharsMax } = limits;
    const many = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
    const wide = (bytes: number) => `${"é".repeat(Math.floor(bytes / 2))}${"e".repeat(bytes % 2)}`;
    for (const more of [-1, 0, 1]) {
      const code = more > 0 ? "bad_request" : "ok";
      const remembered = [
        [{ content: wide(memoryBytesMax + more) }, more > 0 ? "payload_too_large" : "ok"],
        [{ content: "x", tags: many(tagsMax + more) }, code],
        [{ content: "x", tags: ["t".repeat(tagCharsMax + more)] }, code],
      ] as const;
      for (const [input, expected] of remembered) {
        const call = transport.callRaw("remember", { ...input, team_id: session.convener });
        expect([more, await codeOf(call)]).toEqual([more, expected]);
      }
      const query = "q".repeat(queryCharsMax + more);
      for (const name of ["recall", "search"] as const) {
        expect([more, await codeOf(transport.call(name, { query }))]).toEqual([more, code]);
      }
    }
  });

  it("[LIMIT-1] a page has memoriesPageDefault memories unless told, and memoriesPageMax at most", async () => {
    const { memoriesPageDefault, memoriesPageMax } = limits;
    const tags = [`t${randomUUID()}`];
    const input = { content: "one of many", tags, team_id: session.convener };
    await Promise.all(
      Array.from({ length: memoriesPageDefault + 1 }, () => transport.call("remember", input)),
    );
    for (const name of ["recall", "list_memory"] as const) {
      const of = async (page: object) => {
        const { memories } = Object(await transport.callRaw(name, { tags, ...page }));
        return memories.length;
      };
      const query = name === "recall" ? { query: "many" } : {};
      expect(await of(query)).toBe(memoriesPageDefault);
      expect(await of({ ...query, limit: memoriesPageMax })).toBe(memoriesPageDefault + 1);
      const beyond = transport.callRaw(name, { ...query, limit: memoriesPageMax + 1 });
      expect(await codeOf(beyond)).toBe("bad_request");
    }
  });
});

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "ok",
    (error: { code: string }) => error.code,
  );
}

describe("recalling", () => {
  it("[MEM-4] finds words by their stem, the best match first, and of equals the newest", async () => {
    const { ids, tags } = await rememberAll(
      "Deployments to the staging cluster were frozen; the reason stands in the notes of that week and in the chat.",
      "Deploying: deploy with the flag, then check that the deploy is healthy.",
      "Nothing about it.",
      "Deployments to the staging cluster were frozen; the reason stands in the notes of that week and in the chat.",
    );
    const [long, often, , newer] = ids;
    expect(await recalled("deployed", tags)).toEqual([often, newer, long]);
    const { memories } = await transport.call("recall", { query: "cluster deployment", tags, limit: 1 });
    expect(memories).toMatchObject([
      { id: newer, marked: expect.stringMatching(/^«Deployments» to the staging «cluster» were frozen;/) },
    ]);
    expect(memories[0]?.rank).toBeGreaterThan(0);
    // A match in the tags ranks higher than a match in the text.
    const tagged = await transport.call("remember", {
      content: "Ask before Friday.",
      tags: [...tags, "deploy"],
      team_id: session.convener,
    });
    expect((await recalled("deploy", tags))[0]).toBe(tagged.id);
  });

  it("[MEM-5] takes words together, leaves words out, takes either, and finds the parts of names", async () => {
    const { ids, tags } = await rememberAll(
      "The flaky test is in src/auth/login-flow.test.ts, see refresh_token there.",
      "A test of the login, flaky since “Monday” — retry it.",
      "ログイン画面の説明書は古い。",
    );
    const [path, prose, japanese] = ids;
    const expected: [string, (string | undefined)[]][] = [
      ["flaky test", [prose, path]],
      ['"flaky test"', [path]],
      ["flaky -retry", [path]],
      ['flaky -"flaky test"', [prose]],
      ["monday or refresh", [prose, path]],
      ["login-flow.test.ts", [path]],
      ["login", [prose, path]],
      ["refresh_token", [path]],
      ["MONDAY", [prose]],
      ["説明書", [japanese]],
      ["明説", []],
      ["flaky cat", []],
    ];
    for (const [query, found] of expected) {
      expect([query, (await recalled(query, tags)).sort()]).toEqual([query, [...found].sort()]);
    }
  });

  it("[MEM-6] looks for what names no word as it was typed, without case", async () => {
    const { ids, tags } = await rememberAll(
      "Run it with --force AND --The, 100%_sure 🌳.",
      "To be or not to be.",
    );
    for (const query of ["--the", "100%_", "🌳", "%", "_", "and --the"]) {
      expect([query, await recalled(query, tags)]).toEqual([query, [ids[0]]]);
    }
    expect(await recalled("OR NOT TO", tags)).toEqual([ids[1]]);
    expect(await recalled("the not", tags)).toEqual([]);
    const { memories } = await transport.call("recall", { query: "and --the", tags });
    expect(memories).toMatchObject([{ marked: "Run it with --force «AND --The», 100%_sure 🌳.", rank: 0 }]);
  });

  it("[MEM-7] marks what was found, shows marks of the text's own as others, and of a long text the best part", async () => {
    const filler = "Filler goes on and on and on. ".repeat(200);
    const { tags } = await rememberAll(
      `The «cache» is keyed: a cache-key, « Cache».`,
      `A pool somewhere early. ${filler} Then the pool is drained, the pool is closed 🌳. ${filler}`,
    );
    const markedOf = async (query: string) =>
      (await transport.call("recall", { query, tags })).memories[0]?.marked;
    expect(await markedOf("caching")).toBe("The ‹«cache»› is keyed: a «cache»-key, ‹ «Cache»›.");
    const part = await markedOf("pool drained");
    expect(part?.length).toBeLessThanOrEqual(2_010);
    expect(part).toMatch(/^….* Then the «pool» is «drained», the «pool» is closed 🌳\..*…$/s);
  });

  it("[MEM-5] answers whatever is asked, and finds what is beside the noise", async () => {
    const { ids, tags } = await rememberAll("The gateway holds the session token, OR so.");
    for (const query of [
      '"unbalanced',
      'gateway "',
      '""',
      "a:* & !b | (c <-> d)",
      "<->",
      "'; DROP TABLE memories; --",
      "\\",
      "((((",
      "or",
      "or or -or",
      "-",
      "x ".repeat(250).trim(),
      "-x ".repeat(166).trim(),
      "a".repeat(500),
      "🌳".repeat(250),
      "***=",
      "$1 \\& %s \u202e\u0007",
    ]) {
      expect([query, Array.isArray(await recalled(query, tags))]).toEqual([query, true]);
    }
    for (const query of ['"gateway', "gateway & !|(", "<gateway>", "gateway:*", "'gateway'"]) {
      expect([query, await recalled(query, tags)]).toEqual([query, ids]);
    }
    for (const query of ["", "   ", "a".repeat(501)]) {
      expect(await expectFailure(transport.call("recall", { query }))).toMatchObject({ code: "bad_request" });
    }
  });

  it("[MEM-12] any text is found again by each of its own words", async () => {
    const alphabet = [..."abcdeTHE019 \n\t-_./:@'\"«»“”—<>&%\\éüßИ日本の語한국🌳\u0301\u0007"];
    let state = 7;
    const next = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((state / 2 ** 31) * below);
    };
    const texts = Array.from({ length: 30 }, () =>
      Array.from({ length: 1 + next(60) }, () => alphabet[next(alphabet.length)]).join(""),
    ).filter((text) => text.trim() !== "");
    const { ids, tags } = await rememberAll(...texts);
    const lost = texts.map(async (text, index) => {
      const words = text.split(/\s+/).filter((word) => word !== "");
      const query = words[next(words.length)] ?? "";
      const { memories } = await transport.call("recall", { query, tags, limit: 100 });
      return memories.some(({ id }) => id === ids[index]) ? [] : [{ query, text }];
    });
    expect((await Promise.all(lost)).flat()).toEqual([]);
  });
});

describe("listing, tagging and forgetting", () => {
  it("[MEM-8] lists newest first, a page at a time, by tags that all must be there and by session", async () => {
    const { ids, tags } = await rememberAll("one", "two", "three");
    const first = await transport.call("list_memory", { tags, limit: 2 });
    expect(first.memories.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect(first.next_cursor).toBe(ids[1]);
    const rest = await transport.call("list_memory", { tags, limit: 2, before: first.next_cursor ?? "" });
    expect(rest).toMatchObject({ memories: [{ id: ids[0] }], next_cursor: null });

    const other = await createTestSession(transport);
    const { id } = await transport.call("remember", {
      content: "four",
      tags: [...tags, "x"],
      team_id: other.convener,
    });
    const of = async (filter: object) =>
      (await transport.call("list_memory", { tags, ...filter })).memories.map((memory) => memory.id);
    expect(await of({ session: other.slug })).toEqual([id]);
    expect(await of({ session: session.sessionId })).toHaveLength(3);
    expect(await of({ tags: [tags[0] ?? "", "X"] })).toEqual([id]);
    expect(await of({ tags: [tags[0] ?? "", "y"] })).toEqual([]);
    const unknown = transport.call("list_memory", { session: "no-such-session" });
    expect(await expectFailure(unknown)).toMatchObject({ code: "not_found" });
  });

  it("[MEM-9] [MEM-10] forgetting hides from everybody, once and with a reason, until a human restores", async () => {
    const { ids, tags } = await rememberAll("The cluster has three nodes.");
    const id = ids[0] ?? "";
    const { convener: team_id } = session;
    const reason = "It has five now.";
    const race = await Promise.allSettled(
      [team_id, person].map((by) => transport.call("forget", { id, reason, team_id: by })),
    );
    expect(race.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const late = await expectFailure(transport.call("forget", { id, reason: "again", team_id }));
    expect(late).toMatchObject({ code: "conflict", details: { forgotten: { reason } } });
    expect(await recalled("cluster", tags)).toEqual([]);
    expect((await transport.call("list_memory", { tags })).memories).toEqual([]);
    const { memories } = await transport.call("list_memory", { tags, forgotten: true });
    expect(memories).toMatchObject([{ id, forgotten: { reason } }]);

    expect(await expectFailure(transport.call("restore_memory", { id, team_id }))).toMatchObject({
      code: "forbidden",
    });
    const restored = await transport.call("restore_memory", { id, team_id: person });
    expect(restored).toMatchObject({ id, forgotten: null });
    expect(await transport.call("restore_memory", { id, team_id: person })).toEqual(restored);
    expect(await recalled("cluster", tags)).toEqual([id]);
    for (const [name, input] of [
      ["forget", { reason }],
      ["tag_memory", { tags: [] }],
      ["restore_memory", {}],
    ] as const) {
      const gone = { id: "mem_999999999999999", team_id: person, ...input };
      expect(await expectFailure(transport.callRaw(name, gone))).toMatchObject({ code: "not_found" });
    }
  });

  it("[MEM-11] other tags replace those there were, and are what it is found by", async () => {
    const { ids, tags } = await rememberAll("Ask the platform team.");
    const id = ids[0] ?? "";
    const mark = `m${randomUUID().slice(0, 8)}`;
    const retagged = await transport.call("tag_memory", {
      id,
      tags: [mark, "Infra"],
      team_id: session.convener,
    });
    expect(retagged).toMatchObject({ id, tags: [mark, "infra"], rememberedBy: "Atlas" });
    expect(await recalled("platform", tags)).toEqual([]);
    expect(await recalled("platform", ["INFRA"])).toEqual([id]);
    expect(await recalled(mark, [])).toEqual([id]);
  });

  it("[MEM-13] a person's memory stands in the session that the person names, a team's in its own alone", async () => {
    const { tags } = await rememberAll();
    const elsewhere = await createTestSession(transport);
    const content = "Gates open at nine.";
    await transport.call("remember", { content, tags, session: elsewhere.slug, team_id: person });
    const { memories } = await transport.call("list_memory", { session: elsewhere.sessionId });
    expect(memories).toMatchObject([{ content, rememberedBy: "Ana", session: elsewhere.slug }]);
    const { convener: team_id, slug } = session;
    await transport.call("remember", { content, tags, session: slug, team_id });
    const wrong = transport.call("remember", { content, tags, session: elsewhere.slug, team_id });
    expect(await expectFailure(wrong)).toMatchObject({ code: "bad_request" });
    const nowhere = transport.call("remember", { content, tags, session: "nowhere", team_id: person });
    expect(await expectFailure(nowhere)).toMatchObject({ code: "not_found" });
  });

  it("[MEM-14] what one author remembered, or what is new, is listed and searched alone", async () => {
    const { ids, tags } = await rememberAll("The gateway retries twice.");
    const own = { content: "The gateway caches.", tags, team_id: person };
    const { id } = await transport.call("remember", own);
    const reads = [
      (choice: object) => transport.call("list_memory", { tags, ...choice }),
      (choice: object) => transport.call("recall", { query: "gateway", tags, ...choice }),
    ];
    for (const read of reads) {
      const choose = async (choice: object) =>
        (await read(choice)).memories.map((memory) => memory.id).sort();
      expect(await choose({ by: "Ana" })).toEqual([id]);
      expect(await choose({ by: "Nobody" })).toEqual([]);
      expect(await choose({ session: session.slug })).toEqual(ids);
      expect(await choose({ since: "2999-01-01T00:00:00.000Z" })).toEqual([]);
      expect(await choose({ since: "2000-01-01T00:00:00.000Z" })).toEqual([...ids, id].sort());
    }
  });
});
