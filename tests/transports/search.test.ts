import { randomUUID } from "node:crypto";
import { createLog } from "@merkle/broker";
import { openDatabase, refreshWords } from "@merkle/db";
import type { InputOf, OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startIndexer } from "../../apps/broker/src/features/search/indexer.js";
import { createCleanup } from "../kit/cleanup.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase, createTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient, transports } from "../kit/transports.js";

let broker: TestBroker;
let transport: TransportClient;
const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await brokerTransports.websocket(broker.url);
  cleanup(transport.close);
});

type Hits = OutputOf<"search">["hits"];

async function hitsFor(query: string, filter: object = {}): Promise<Hits> {
  return (await transport.call("search", { query, ...filter })).hits;
}

/** Returns a word that occurs nowhere else on this broker. */
const newWord = () => `w${randomUUID().replaceAll("-", "")}`;

describe("search", () => {
  it("[SEARCH-1] finds messages, decisions, the document, memories and sessions, each with where it stands", async () => {
    const word = newWord();
    const session = await createTestSession(transport, `About ${word}`);
    const { sessionId: session_id, slug, convener: team_id } = session;
    const said = await session.post(team_id, `I looked at ${word} again.`);
    const decided = await transport.call("post_message", {
      session_id,
      team_id,
      content: { text: `We drop ${word}.`, kind: "decision" },
    });
    await transport.call("update_session_doc", {
      session_id,
      team_id,
      content: "# Old",
      expected_version: 0,
    });
    const content = `# Notes\n\nThe ${word} is gone.`;
    await transport.call("update_session_doc", { session_id, team_id, content, expected_version: 1 });
    const remembered = await transport.call("remember", { content: `Never use ${word}.`, team_id });

    const place = { session_id, session: slug };
    const title = `About ${word}`;
    const hits = await hitsFor(word);
    expect([...hits].sort((a, b) => a.kind.localeCompare(b.kind))).toMatchObject([
      {
        kind: "decision",
        ...place,
        sequence: decided.cursor,
        title,
        by: "Atlas",
        at: decided.at,
        marked: `We drop «${word}».`,
      },
      { kind: "document", ...place, sequence: null, version: 2, title, by: "Atlas" },
      { kind: "memory", ...place, memory_id: remembered.id, title: null, by: "Atlas", at: remembered.at },
      {
        kind: "message",
        ...place,
        sequence: said.cursor,
        version: null,
        memory_id: null,
        by: "Atlas",
        at: said.at,
      },
      { kind: "session", ...place, sequence: null, by: "Atlas", marked: `About «${word}»` },
    ]);
    expect(hits[0]).toMatchObject({ kind: "session" });
    expect(hits.map(({ rank }) => rank)).toEqual(hits.map(({ rank }) => rank).sort((a, b) => b - a));
    expect((await hitsFor(word, { limit: 2 })).length).toBe(2);
    expect((await hitsFor(word, { kinds: ["decision"] })).map(({ kind }) => kind)).toEqual(["decision"]);
    expect(await hitsFor(word, { kinds: [] })).toEqual([]);
  });

  it("[SEARCH-14] without words it lists the newest of each kind, across sessions or in one", async () => {
    const other = await startTestBroker();
    const client = await brokerTransports.rest(other.url);
    const [one, two] = [await createTestSession(client, "One"), await createTestSession(client, "Two")];
    const decide = (session: typeof one, text: string) =>
      client.call("post_message", {
        session_id: session.sessionId,
        team_id: session.convener,
        content: { text, kind: "decision" },
      });
    await decide(one, "Keep «all» of it.");
    await two.post(two.convener, "Why?");
    await decide(two, "Drop it.");
    await decide(one, `Drop it all. ${"So it is. ".repeat(50)}`);
    await client.call("create_task", { session_id: one.sessionId, team_id: one.convener, title: "Do it" });
    const list = async (input: object) => (await client.call("search", input)).hits;
    const decisions = await list({ kinds: ["decision"] });
    expect(decisions).toMatchObject([
      {
        kind: "decision",
        session: one.slug,
        title: "One",
        by: "Atlas",
        marked: expect.stringMatching(/^Drop it all.*…$/),
      },
      { kind: "decision", session: two.slug, title: "Two", marked: "Drop it." },
      { kind: "decision", session: one.slug, marked: "Keep ‹all› of it." },
    ]);
    expect(await list({ kinds: ["decision"], query: "  ", limit: 2 })).toEqual(decisions.slice(0, 2));
    expect(await list({ kinds: ["decision"], session: two.slug })).toEqual([decisions[1]]);
    expect(await list({ kinds: ["message", "task"] })).toMatchObject([
      { kind: "task", task: 1 },
      { kind: "message", marked: "Why?" },
    ]);
    const all = await client.call("search", {});
    expect(new Set(all.hits.map(({ kind }) => kind))).toEqual(
      new Set(["decision", "message", "session", "task"]),
    );
    expect(all.total).toBe(all.hits.length);
  });

  it("[SEARCH-13] finds tasks in any state by title, labels, text and result, and titles first", async () => {
    const word = newWord();
    const {
      sessionId: session_id,
      slug,
      convener: team_id,
    } = await createTestSession(transport, "Some work");
    const add = (task: { title: string; text?: string; labels?: string[] }) =>
      transport.call("create_task", { session_id, team_id, ...task });
    await add({ title: "First", text: `Say where ${word} is.` });
    await add({ title: `Move ${word}` });
    await add({ title: "Third", labels: [word] });
    await add({ title: "Fourth" });
    await transport.call("claim_task", { session_id, team_id, task: 4 });
    await transport.call("finish_task", { session_id, team_id, task: 4, result: `The ${word} is gone.` });
    const found = async (query: string) =>
      (await hitsFor(query, { kinds: ["task"] })).map(({ task }) => task);
    const hits = await hitsFor(word, { kinds: ["task"] });
    expect(new Set(hits.slice(0, 2).map(({ task }) => task))).toEqual(new Set([2, 3]));
    expect(hits).toHaveLength(4);
    expect(hits).toContainEqual(
      expect.objectContaining({
        ...{ kind: "task", session_id, session: slug, title: "Some work", task: 4, by: "Atlas" },
        marked: `Fourth\nThe «${word}» is gone.`,
      }),
    );
    expect(await found(`"${word} is gone"`)).toEqual([4]);

    await transport.call("update_task", { session_id, team_id, task: 2, title: "Move it" });
    expect((await found(word)).sort()).toEqual([1, 3, 4]);
    const letters = "±∓".repeat(3);
    await add({ title: `Fix ${letters}` });
    expect(await found(letters)).toEqual([5]);
    expect(await hitsFor(word, { kinds: ["task"], session: slug })).toHaveLength(3);
  });

  it("[SEARCH-2] keeps to a session by id or slug, and to what is not forgotten", async () => {
    const word = newWord();
    const [one, other] = [await createTestSession(transport), await createTestSession(transport)];
    await one.post(one.convener, `first ${word}`);
    await other.post(other.convener, `second ${word}`);
    const { id } = await transport.call("remember", { content: word, team_id: one.convener });
    await transport.call("remember", { content: word, team_id: other.convener });
    for (const ref of [one.slug, one.sessionId]) {
      const found = await hitsFor(word, { session: ref });
      expect(found.map((hit) => [hit.kind, hit.session]).sort()).toEqual([
        ["memory", one.slug],
        ["message", one.slug],
      ]);
    }
    await transport.call("forget", { id, reason: "wrong", team_id: one.convener });
    expect((await hitsFor(word, { session: one.slug })).map(({ kind }) => kind)).toEqual(["message"]);
    expect(await expectFailure(transport.call("search", { query: word, session: "nowhere" }))).toMatchObject({
      code: "not_found",
    });
  });

  it("[SEARCH-3] reads queries and marks what was found as recall does, and orders equals newest first", async () => {
    const word = newWord();
    const session = await createTestSession(transport);
    const { convener } = session;
    const posted = [
      await session.post(convener, `The deployment of ${word}: see src/auth/login.ts and «notes».`),
      await session.post(convener, `Deploying ${word} — the team said “done”.`),
      await session.post(convener, `Deploying ${word} — the team said “done”.`),
    ];
    const [path, older, newer] = posted.map(({ cursor }) => cursor);
    const found = async (query: string) => (await hitsFor(query)).map(({ sequence }) => sequence);
    expect(await found(`${word} done`)).toEqual([newer, older]);
    expect(await found(`${word} login.ts`)).toEqual([path]);
    // Messages posted at the same time have the same timestamp in milliseconds.
    const twin = newWord();
    const twins = await Promise.all(
      Array.from({ length: 8 }, () => session.post(convener, `Both said ${twin}.`)),
    );
    expect(await found(twin)).toEqual(twins.map(({ cursor }) => cursor).sort((a, b) => b - a));
    expect(await found(`${word} deploy -done`)).toEqual([path]);
    expect(await found(`${word} depl`)).toEqual([]);
    expect(await found(`${word.slice(0, 8)}* depl* log*`)).toEqual([path]);
    expect(await found(`${word} don*`)).toEqual([newer, older]);
    expect(await found(`${word} don* -tea*`)).toEqual([]);
    expect((await hitsFor(`${word} not*`))[0]?.marked).toContain("‹«notes»›");
    expect((await hitsFor(`${word} deploy notes`))[0]?.marked).toBe(
      `The «deployment» of «${word}»: see src/auth/login.ts and ‹«notes»›.`,
    );
    const odd = `<-> ${randomUUID()} 🌳`;
    const { cursor } = await session.post(convener, `Typed: ${odd}!`);
    expect(await hitsFor("<->", { session: session.slug })).toMatchObject([
      { sequence: cursor, marked: expect.stringContaining("Typed: «<->» ") },
    ]);
    for (const query of [
      '"',
      "((",
      "or",
      "-",
      "-x",
      "%",
      "a:* | !b",
      "the*",
      "-a* <->* '* \\*",
      "x ".repeat(250).trim(),
      "🌳".repeat(250),
    ]) {
      expect([query, Array.isArray(await hitsFor(query))]).toEqual([query, true]);
    }
  });

  it("[MEM-5] finds words without their accents, parts of identifiers, and Korean words with their particles", async () => {
    const session = await createTestSession(transport);
    const find = async (query: string) =>
      (await hitsFor(query, { session: session.slug, kinds: ["message"] })).map(({ marked }) => marked);
    for (const text of [
      "Un résumé du Café Łódź",
      "We call getUserById in HTTPServer.ts",
      "JavaScript, or javascript",
      "서버를 새로 시작합니다",
      "get_user_by_id is older",
    ])
      await session.post(session.convener, text);
    for (const query of ["resume cafe", "RÉSUMÉ CAFÉ", "re\u0301sume\u0301 Cafe"])
      expect([query, await find(query)]).toEqual([query, ["Un «résumé» du «Café» Łódź"]]);
    expect(await find("lodz")).toEqual(["Un résumé du Café «Łódź»"]);
    expect(await find("UserById")).toEqual([
      "get_«user»_by_«id» is older",
      "We call get«User»By«Id» in HTTPServer.ts",
    ]);
    expect(await find("getuserbyid")).toEqual(["We call «getUserById» in HTTPServer.ts"]);
    expect(await find("server call")).toEqual(["We «call» getUserById in HTTPServer.ts"]);
    expect(await find("JavaScript")).toEqual(["«JavaScript», or «javascript»"]);
    expect(await find("서버")).toEqual(["«서버»를 새로 시작합니다"]);
    expect(await find("서버 시작")).toEqual(["«서버»를 새로 «시작»합니다"]);
    const { id } = await transport.call("remember", {
      content: "Naïve parseJson fails.",
      team_id: session.convener,
    });
    expect((await transport.call("recall", { query: "naive json" })).memories).toMatchObject([{ id }]);
  });

  it("[SEARCH-11] if the newest messages fill the limit, older ones are not read, but decisions are", async () => {
    const database = await createTestDatabase();
    const own = await startTestBroker({ databaseUrl: database });
    const { call } = await transports.rest(own.url);
    const sql = connectTestDatabase(database);
    const { session_id } = await call("create_session", { title: "Old", creator_team_name: "Atlas" });
    await sql`UPDATE feeds SET last_sequence = 60001, last_chat_sequence = 60001 WHERE session_id = ${session_id}`;
    await sql`INSERT INTO search_heads (session_id, last_sequence, document_version) VALUES (${session_id}, 60001, 1)`;
    const indexed = (from: number, to: number, isDecision: boolean, words: string) => sql`
      WITH m AS (INSERT INTO messages (session_id, sequence, id, type, kind, posted_by_team_id, author_team, content, salt, posted_at)
        SELECT ${session_id}, n, gen_random_uuid(), 'chat', ${isDecision ? "decision" : null}, gen_random_uuid(), 'Atlas',
               json_build_object('text', ${words}::text)::text, uuid_send(gen_random_uuid()), now() - interval '1 day' + n * interval '1 second'
        FROM generate_series(${from}::int, ${to}::int) n RETURNING sequence, posted_at)
      INSERT INTO message_words (session_id, sequence, decision, posted_at, words)
      SELECT ${session_id}, sequence, ${isDecision}, posted_at, to_tsvector('english', ${words}) FROM m`;
    // Ranked by its words alone, the oldest message would be the best.
    await indexed(2, 2, false, "deploy deploy deploy rare");
    await indexed(3, 3, true, "deploy deploy");
    await indexed(4, 60_000, false, "nothing");
    await indexed(60_001, 60_001, false, "deploy one small server in the other room today");
    const search = async (query: string, limit: number) => {
      const { hits, total } = await call("search", { query, limit });
      return { sequences: hits.map(({ sequence }) => sequence), total };
    };
    expect(await search("deploy", 1)).toEqual({ sequences: [3], total: 2 });
    expect(await search("deploy", 2)).toEqual({ sequences: [3, 2], total: 3 });
    expect(await search("rare", 1)).toEqual({ sequences: [2], total: 1 });
  });

  it("[SEARCH-4] finds what was posted or written just before, however many search and post at once", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const words = Array.from({ length: 8 }, newWord);
    const missing = words.map(async (word) => {
      await session.post(team_id, `At once: ${word}`);
      const afterPost = await hitsFor(word);
      await transport.call("append_to_session_doc", { session_id, team_id, text: `- ${word}` });
      const afterWrite = await hitsFor(word, { kinds: ["document"] });
      return afterPost.length >= 1 && afterWrite.length === 1 ? [] : [word];
    });
    expect((await Promise.all(missing)).flat()).toEqual([]);
  });

  it("[SEARCH-6] finds every part of a long document, and a part of it is shown", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const [first, last] = [newWord(), newWord()];
    const filler = "Lines of a long document, which all say the same.\n".repeat(2_000);
    const content = `${first}\n${filler}## End\n\nThe ${last} stands here.\n`;
    await transport.call("update_session_doc", { session_id, team_id, content, expected_version: 0 });
    expect((await hitsFor(first))[0]?.marked).toMatch(new RegExp(`^«${first}»\\nLines of a long`));
    const [hit] = await hitsFor(last);
    expect(hit).toMatchObject({
      kind: "document",
      version: 1,
      marked: expect.stringContaining(`The «${last}» stands`),
    });
    expect(hit?.marked.length).toBeLessThanOrEqual(310);
    await transport.call("update_session_doc", {
      session_id,
      team_id,
      content: "Short.",
      expected_version: 1,
    });
    expect([...(await hitsFor(first)), ...(await hitsFor(last))]).toEqual([]);
  });

  it("[LIMIT-1] gives searchHitsDefault hits unless told, and searchHitsMax at most", async () => {
    const { searchHitsDefault, searchHitsMax } = limits;
    const word = newWord();
    const session = await createTestSession(transport);
    const posts = Array.from({ length: searchHitsDefault + 1 }, () => session.post(session.convener, word));
    await Promise.all(posts);
    expect(await hitsFor(word)).toHaveLength(searchHitsDefault);
    expect(await hitsFor(word, { limit: searchHitsMax })).toHaveLength(searchHitsDefault + 1);
    expect(await expectFailure(hitsFor(word, { limit: searchHitsMax + 1 }))).toMatchObject({
      code: "bad_request",
    });
  });

  it("[SEARCH-7] nothing of another mesh is found or listed", async () => {
    const sql = connectTestDatabase(broker.databaseUrl);
    const word = newWord();
    const [mesh, sessionId, team] = [randomUUID(), randomUUID(), randomUUID()];
    await sql`INSERT INTO meshes (mesh_id, name) VALUES (${mesh}, ${mesh})`;
    await sql`INSERT INTO sessions VALUES (${sessionId}, ${mesh}, ${word}, ${word}, ${word}, ${team}, '{}', now(), now())`;
    await sql`INSERT INTO feeds (session_id) VALUES (${sessionId})`;
    await sql`INSERT INTO documents (session_id, version, content, updated_at) VALUES (${sessionId}, 1, ${word}, now())`;
    await sql`INSERT INTO memories (mesh_id, number, content, tags, remembered_by, remembered_at)
      VALUES (${mesh}, 1, ${word}, ${[word]}, 'Elsewhere', now())`;
    await sql`INSERT INTO message_words VALUES (${sessionId}, 1, false, now(), to_tsvector('english', ${word}))`;
    await sql`INSERT INTO document_words VALUES (${sessionId}, 1, 1, ${word}, to_tsvector('english', ${word}))`;
    expect(await hitsFor(word)).toEqual([]);
    expect((await transport.call("recall", { query: word })).memories).toEqual([]);
    expect((await transport.call("list_memory", { tags: [word] })).memories).toEqual([]);
    const { convener: team_id } = await createTestSession(transport);
    await transport.call("remember", { content: word, team_id });
    expect((await hitsFor(word)).map(({ kind }) => kind)).toEqual(["memory"]);
  });

  it("[SEARCH-8] asks for lists in a URL with commas, as a program writes them", async () => {
    const word = newWord();
    const session = await createTestSession(transport, word);
    await session.post(session.convener, word);
    await transport.call("remember", { content: word, tags: ["a", "b"], team_id: session.convener });
    const read = async (path: string) => Object(await (await fetch(new URL(path, broker.url))).json());
    expect((await read(`/api/search?query=${word}&kinds=message,session&limit=5`)).hits).toHaveLength(2);
    expect((await read(`/api/search?query=${word}&kinds=`)).hits).toEqual([]);
    expect((await read(`/api/memories?tags=b,a`)).memories).toMatchObject([{ content: word }]);
    expect((await read(`/api/memories/recall?query=${word}&tags=c`)).memories).toEqual([]);
    expect((await read(`/api/search?query=${word}&kinds=message,thing`)).error).toMatchObject({
      code: "bad_request",
    });
  });
});

it("[SEARCH-1] a message is found by the names of its files, by words and as typed", async () => {
  const word = newWord();
  const session = await createTestSession(transport);
  const { sessionId: session_id, convener: team_id } = session;
  const uploaded = await fetch(`${broker.url}/api/sessions/${session_id}/files?name=build-${word}.log`, {
    method: "PUT",
    headers: { "x-team-id": team_id },
    body: "step 1",
  });
  const attachments = [await uploaded.json()];
  const content = { text: "It fails.", attachments } as InputOf<"post_message">["content"];
  const { cursor } = await transport.call("post_message", { session_id, team_id, content });
  const hit = { kind: "message", sequence: cursor };
  expect(await hitsFor(word)).toMatchObject([
    { ...hit, marked: expect.stringMatching(`^It fails\\.\\s+build-«${word}»\\.log$`) },
  ]);
  expect(await hitsFor(`build-${word}.log`)).toMatchObject([hit]);
  expect(await hitsFor(".", { session: session_id, kinds: ["message"] })).toMatchObject([hit]);
});

describe("indexing", () => {
  it("[SEARCH-12] texts that an earlier version indexed are indexed again, and until then a search is not complete", async () => {
    const session = await createTestSession(transport, "Das Büro");
    const { sessionId: session_id, convener: team_id } = session;
    await Promise.all(Array.from({ length: 20 }, (_, index) => session.post(team_id, `Café ${index}`)));
    await transport.call("append_to_session_doc", { session_id, team_id, text: "Le café" });
    expect(await hitsFor("cafe", { session: session_id, limit: 50 })).toHaveLength(21);
    const sql = connectTestDatabase(broker.databaseUrl);
    const task = { session_id, team_id, title: "Ouvrir le café" };
    await transport.call("create_task", task);
    await sql`ALTER TABLE tasks DISABLE TRIGGER tasks_have_words`;
    await sql`UPDATE tasks SET words = NULL WHERE session_id = ${session_id}`;
    await sql`ALTER TABLE tasks ENABLE TRIGGER tasks_have_words`;
    expect(await hitsFor("ouvrir", { kinds: ["task"] })).toEqual([]);
    for (const table of ["message_words", "document_words"])
      await sql`UPDATE ${sql(table)} SET words = 'café:1' WHERE session_id = ${session_id}`;
    await sql`INSERT INTO settings (key, value) VALUES ('words_refresh', '{}')`;

    const database = await openDatabase({ target: broker.databaseUrl });
    onTestFinished(database.close);
    // In single steps, as the steps of a large database, and the last of them finds nothing left.
    let steps = 1;
    while (!(await database.transaction((tx) => refreshWords(tx, 7)))) steps += 1;
    expect(steps).toBeGreaterThan(3);
    expect(await hitsFor("cafe", { session: session_id, limit: 50 })).toHaveLength(22);
    expect(await hitsFor("ouvrir", { kinds: ["task"] })).toMatchObject([{ task: 1, session: session.slug }]);
    expect(await hitsFor("buro", { kinds: ["session"] })).toMatchObject([{ session: session.slug }]);

    await sql`INSERT INTO settings (key, value) VALUES ('words_refresh', '{}')`;
    const held = await sql.reserve();
    await held`BEGIN`;
    await held`SELECT FROM settings WHERE key = 'words_refresh' FOR UPDATE`;
    const indexer = startIndexer({ database, log: createLog(() => undefined) });
    expect(await indexer.catchUp(), "another node is at work").toBe(false);
    await held`COMMIT`;
    held.release();
    await expect.poll(() => indexer.catchUp(), { interval: 10 }).toBe(true);
    await indexer.stop();
  });

  it("[SEARCH-5] a call indexes so much, says that more is missing, and the rest follows by itself", async () => {
    const session = await createTestSession(transport);
    const { sessionId, convener } = session;
    await Promise.all(Array.from({ length: 20 }, (_, index) => session.post(convener, `Number ${index}`)));
    const sql = connectTestDatabase(broker.databaseUrl);
    const count = async () =>
      Number(
        (await sql`SELECT count(*)::int AS n FROM message_words WHERE session_id = ${sessionId}`)[0]?.["n"],
      );
    expect(await count(), "posting indexes nothing").toBe(0);

    const database = await openDatabase({ target: broker.databaseUrl });
    onTestFinished(database.close);
    const indexer = startIndexer({ database, log: createLog(() => undefined), messagesMax: 0 });
    expect(await indexer.catchUp()).toBe(false);
    await expect.poll(count, { interval: 10 }).toBe(20);
    await indexer.stop();
    const found = await transport.call("search", { query: "number", session: sessionId });
    expect(found).toMatchObject({ complete: true, hits: { length: 20 } });
  });
});
