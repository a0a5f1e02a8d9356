import { randomUUID } from "node:crypto";
import type { OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { catalogue } from "@merkle/wire/schemas";
import type postgres from "postgres";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { type ModelServer, replyWithBody, replyWithText, startModelServer } from "../kit/model-server.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient, transports } from "../kit/transports.js";

const apiKey = "sk-test-5up3r-s3cr3t";

let model: ModelServer;
let broker: TestBroker;
let sql: postgres.Sql;
let transport: TransportClient;
let team_id: string;
const cleanup = createCleanup();
beforeAll(async () => {
  model = await startModelServer(cleanup);
  const summaries = { apiKey, baseUrl: model.url };
  broker = await startTestBroker({ summaries }, cleanup);
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
  transport = await brokerTransports.websocket(broker.url);
  cleanup(transport.close);
  team_id = (await createTestSession(transport)).convener;
});
beforeEach(() => {
  model.answer = replyWithText("Summarised.");
});

/** Returns the id of a project that no other test uses. */
function newProject(): string {
  return `p-${randomUUID()}`;
}

interface Logged {
  readonly projectId: string;
  readonly title?: string;
  readonly content?: string;
  readonly tags?: string[];
  readonly at?: string;
}

/** Logs an entry, optionally at the given time, and returns its id. */
async function log({ at, ...entry }: Logged): Promise<string> {
  const { id } = await transport.call("log_progress", {
    title: "Done",
    content: "Did it.",
    team_id,
    ...entry,
  });
  if (at !== undefined) await sql`UPDATE progress_entries SET created_at = ${at} WHERE id = ${id}`;
  return id;
}

async function found(input: Parameters<typeof search>[0]): Promise<string[]> {
  return (await search(input)).entries.map(({ id }) => id);
}

function search(input: { projectId: string } & Record<string, unknown>) {
  return transport.call("search_logs", input);
}

const refactored = {
  title: "Refactored authentication module",
  content:
    "I refactored the authentication module to use JWT tokens instead of sessions. Changes made: 1. Added jsonwebtoken package, " +
    "2. Created src/auth/jwt.ts with sign/verify functions, 3. Updated src/middleware/auth.ts to validate tokens, " +
    "4. Modified user login endpoint to return tokens. All tests pass.",
  tags: ["auth", "refactor"],
};

describe.each(Object.entries(transports))("the tracker's examples, by %s", (_name, open) => {
  let at: TransportClient;
  let own: string;
  const end = createCleanup();
  beforeAll(async () => {
    at = await open(broker.url);
    end(at.close);
    own = (await createTestSession(at)).convener;
  });

  it("[PROGRESS-1] example 4.1: log_progress makes the project, and answers with id, project, title and time", async () => {
    const projectId = newProject();
    const logged = await at.call("log_progress", {
      projectId,
      title: "Implemented user registration endpoint",
      content: "Created POST /api/users endpoint with validation. Added bcrypt. Wrote integration tests.",
      tags: ["api", "users"],
      team_id: own,
    });
    const { id, createdAt } = logged;
    expect(logged).toEqual({ id, projectId, title: "Implemented user registration endpoint", createdAt });
    expect(id).toMatch(/^[0-9A-Za-z_-]{12}$/);
    expect(new Date(createdAt).toISOString()).toBe(createdAt);
    // Section 2.5 of the progress log's description: the project has the given name, and is created with its first
    // entry.
    const [project] =
      await sql`SELECT name, created_at FROM progress_projects WHERE project_id = ${projectId}`;
    expect(project).toEqual({ name: projectId, created_at: new Date(createdAt) });
  });

  it("[PROGRESS-6] example 4.2: get_context gives the summary, and the content only where it is asked for", async () => {
    const projectId = newProject();
    const agentId = "coding-agent-1";
    const { id, createdAt } = await at.call("log_progress", {
      ...refactored,
      projectId,
      agentId,
      team_id: own,
    });
    const { title, tags, content } = refactored;
    const brief = await at.call("get_context", { projectId, id });
    const summary = "Summarised.";
    expect(brief).toEqual({ id, projectId, title, summary, createdAt, tags, agentId, loggedBy: "Atlas" });
    expect(await at.call("get_context", { projectId, id, includeFull: true })).toEqual({ ...brief, content });
  });

  it("[PROGRESS-9] example 4.3: search_logs finds the newest first, and tells neither content nor summary", async () => {
    const projectId = newProject();
    const at1 = await log({ projectId, title: "Added auth middleware", at: "2025-06-10T09:15:00Z" });
    const at2 = await log({ projectId, ...refactored, at: "2025-06-15T14:32:00Z" });
    await log({ projectId, title: "Auth, long ago", at: "2025-05-31T23:59:59.999Z" });
    await log({ projectId, title: "Nothing of it" });
    const startDate = "2025-06-01T00:00:00Z";
    const answer = await at.call("search_logs", { projectId, query: "auth", startDate, limit: 5 });
    const { title, tags } = refactored;
    const common = { agentId: null, loggedBy: "Atlas" };
    expect(answer).toEqual({
      projectId,
      query: "auth",
      entries: [
        { id: at2, title, createdAt: "2025-06-15T14:32:00.000Z", tags, ...common },
        {
          id: at1,
          title: "Added auth middleware",
          createdAt: "2025-06-10T09:15:00.000Z",
          tags: [],
          ...common,
        },
      ],
      total: 2,
    });
  });

  it("[PROGRESS-4] example 9.2: an entry of another project, or of none, is not found, in the tracker's words", async () => {
    const projectId = newProject();
    const id = await log({ projectId });
    const failure = await expectFailure(at.call("get_context", { projectId: "mobile-app", id }));
    expect(failure).toMatchObject({
      code: "not_found",
      message: `Entry not found: ${id} in project mobile-app`,
    });
  });
});

describe("compact text", () => {
  const rendering = { credentialHolder: "caller" } as const;

  it("[PROGRESS-11] is that of the tracker's examples", () => {
    const createdAt = "2025-06-15T14:32:00.000Z";
    const title = "Refactored authentication module";
    const common = { tags: [], agentId: null, loggedBy: "Atlas" };
    const projectId = "mobile-app";
    const logged = {
      id: "x7k9m2p4q1w3",
      projectId,
      title: "Implemented user registration endpoint",
      createdAt,
    };
    expect(catalogue.log_progress.compact(logged, rendering)).toBe(
      "Logged: Implemented user registration endpoint (ID: x7k9m2p4q1w3) in project mobile-app",
    );
    const summary = "Refactored auth to use JWT tokens. Tests pass.";
    const entry = { id: "a1b2c3d4e5f6", title, createdAt, ...common };
    expect(catalogue.get_context.compact({ ...entry, projectId, summary }, rendering)).toBe(
      `summary: ${summary}`,
    );
    const second = {
      id: "z9y8x7w6v5u4",
      title: "Added auth middleware",
      createdAt: "2025-06-10T09:15:00.000Z",
      ...common,
    };
    const page = { projectId, query: "auth", entries: [entry, second], total: 2 };
    expect(catalogue.search_logs.compact(page, rendering)).toBe(
      "Found 2 entries matching 'auth' in mobile-app:\n" +
        "1. a1b2c3d4e5f6 - Refactored authentication module (2025-06-15)\n" +
        "2. z9y8x7w6v5u4 - Added auth middleware (2025-06-10)",
    );
    expect(catalogue.search_logs.compact({ ...page, query: null, entries: [], total: 0 }, rendering)).toBe(
      "Found 0 entries in mobile-app",
    );
  });
});

describe("logging", () => {
  it("[PROGRESS-2] constraints 3.3: fields are taken at their limit, and refused beyond in the tracker's words", async () => {
    const projectId = newProject();
    const whole = { projectId, title: "t", content: "c", team_id };
    const many = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
    const { projectIdCharsMax, progressTitleCharsMax, progressContentCharsMax, progressTagsMax } = limits;
    const over = (field: string, max: number) => `${field} exceeds maximum length of ${max} characters`;
    const bounded: [string, (length: number) => unknown, number, string][] = [
      ["projectId", (length) => "p".repeat(length), projectIdCharsMax, over("projectId", 100)],
      ["title", (length) => "t".repeat(length), progressTitleCharsMax, over("title", 100)],
      ["content", (length) => "c".repeat(length), progressContentCharsMax, over("content", 10_000)],
      ["agentId", (length) => "a".repeat(length), limits.nameCharsMax, over("agentId", 100)],
      ["tags", (length) => ["t".repeat(length)], limits.tagCharsMax, over("tag", 50)],
      ["tags", many, progressTagsMax, "tags exceed the maximum of 10 items"],
    ];
    for (const [field, make, max, message] of bounded) {
      for (const length of [max - 1, max])
        await transport.callRaw("log_progress", { ...whole, [field]: make(length) });
      const failure = await expectFailure(
        transport.callRaw("log_progress", { ...whole, [field]: make(max + 1) }),
      );
      expect(failure).toMatchObject({ code: "bad_request", message: expect.stringContaining(message) });
    }
  });

  it("[PROGRESS-2] errors 9.3: what is missing or blank is named in the tracker's words", async () => {
    const whole = { projectId: newProject(), title: "t", content: "c", team_id };
    const refused: [object, string][] = [
      [{ projectId: undefined }, "projectId is required"],
      [{ projectId: " " }, "projectId is required"],
      [{ title: undefined }, "title is required"],
      [{ title: "" }, "title is required"],
      [{ content: undefined }, "content is required"],
      [{ content: " \n" }, "content is required and cannot be empty"],
      // Section 10.1 of the progress log's description: tags must be a list of strings.
      [{ tags: "api" }, "tags"],
      [{ tags: [7] }, "tags"],
    ];
    for (const [part, message] of refused) {
      const failure = await expectFailure(transport.callRaw("log_progress", { ...whole, ...part }));
      expect(failure).toMatchObject({ code: "bad_request", message: expect.stringContaining(message) });
    }
  });

  it("[PROGRESS-3] takes a team's or a person's credential, refuses wrong and live ones, and logs once by key", async () => {
    const projectId = newProject();
    const entry = { projectId, title: "t", content: "c" };
    const wrong = transport.call("log_progress", {
      ...entry,
      team_id: `${randomUUID()}.mk_${"x".repeat(43)}`,
    });
    expect(await expectFailure(wrong)).toMatchObject({ code: "unauthorized" });
    const leak = transport.call("log_progress", { ...entry, content: `mine: ${team_id}`, team_id });
    expect(await expectFailure(leak)).toMatchObject({ code: "bad_request" });
    const { person_id } = await makePerson(transport, "Ana");
    const byPerson = { ...entry, team_id: person_id, idempotency_key: randomUUID() };
    const first = await transport.call("log_progress", byPerson);
    expect(await transport.call("log_progress", byPerson)).toEqual(first);
    const { entries, total } = await search({ projectId });
    expect({ entries, total }).toMatchObject({ entries: [{ id: first.id, loggedBy: "Ana" }], total: 1 });
  });

  it("[PROGRESS-1] many who begin a project at once all log into the one", async () => {
    const projectId = newProject();
    await Promise.all(Array.from({ length: 8 }, () => log({ projectId })));
    expect((await search({ projectId })).total).toBe(8);
  });

  it("[PROGRESS-5] a project and its entries are seen in their own mesh alone", async () => {
    const projectId = newProject();
    const id = await log({ projectId });
    const mesh = `m${Date.now()}`;
    await transport.call("create_mesh", { name: mesh });
    const elsewhere = await brokerTransports.websocket(broker.url, { mesh });
    expect(await elsewhere.call("search_logs", { projectId })).toMatchObject({ entries: [], total: 0 });
    expect(await expectFailure(elsewhere.call("get_context", { projectId, id }))).toMatchObject({
      code: "not_found",
    });
    await elsewhere.close();
  });
});

describe("searching", () => {
  it("[PROGRESS-9] finds a part of the title in any case, and % and _ as they are", async () => {
    const projectId = newProject();
    const percent = await log({ projectId, title: "Raised it by 100%" });
    const snake = await log({ projectId, title: "Renamed user_id, ÉTÉ" });
    const plain = await log({ projectId, title: "Renamed userXid, 1000" });
    const expected: [string, string[]][] = [
      ["RAISED", [percent]],
      ["%", [percent]],
      ["0%", [percent]],
      ["r_i", [snake]],
      ["_", [snake]],
      ["été", [snake]],
      ["named user", [plain, snake]],
      ["\\", []],
      ["", [plain, snake, percent]],
    ];
    for (const [query, ids] of expected)
      expect([query, await found({ projectId, query })]).toEqual([query, ids]);
  });

  it("[PROGRESS-9] section 10.1: what looks like SQL is text, wherever it is given", async () => {
    const projectId = `${newProject()}'; DROP TABLE progress_entries; --`;
    const title = "'); DELETE FROM progress_projects; --";
    const tags = ["'}", "$1"];
    const id = await log({ projectId, title, tags, content: title });
    expect(await found({ projectId, query: "'); delete" })).toEqual([id]);
    expect(await found({ projectId, tags })).toEqual([id]);
    const [entry] = (await search({ projectId })).entries;
    expect(entry).toMatchObject({ title, tags });
  });

  it("[PROGRESS-9] wants all tags, in any case, and combines what it is given", async () => {
    const projectId = newProject();
    const both = await log({ projectId, title: "One", tags: ["API", "users"] });
    await log({ projectId, title: "Two", tags: ["api"] });
    expect(await found({ projectId, tags: ["users", "Api"] })).toEqual([both]);
    expect(await found({ projectId, tags: ["api"], query: "two" })).toHaveLength(1);
    expect(await found({ projectId, tags: ["ap"] })).toEqual([]);
    expect((await search({ projectId })).entries[1]?.tags).toEqual(["API", "users"]);
  });

  it("[PROGRESS-9] a date without a time is that whole day in UTC; a time is an instant", async () => {
    const projectId = newProject();
    const times = ["2025-06-14T23:59:59.999Z", "2025-06-15T00:00:00.000Z", "2025-06-15T23:59:59.999Z"];
    const ids: string[] = [];
    for (const at of times) ids.push(await log({ projectId, at }));
    const [before, first, last] = ids;
    const expected: [object, (string | undefined)[]][] = [
      [{ startDate: "2025-06-15" }, [last, first]],
      [{ endDate: "2025-06-15" }, [last, first, before]],
      [{ startDate: "2025-06-15", endDate: "2025-06-15" }, [last, first]],
      [{ endDate: "2025-06-14" }, [before]],
      [{ startDate: "2025-06-15T02:00:00+02:00", endDate: "2025-06-15T00:00" }, [first]],
      [{ startDate: "2025-06-16" }, []],
    ];
    for (const [dates, wanted] of expected) {
      expect([dates, await found({ projectId, ...dates })]).toEqual([dates, wanted]);
    }
    for (const date of ["yesterday", "2025-02-30", "2025-6-1", "2025-06-15T25:00Z", ""]) {
      for (const field of ["startDate", "endDate"]) {
        expect(await expectFailure(search({ projectId, [field]: date }))).toMatchObject({
          code: "bad_request",
          message: expect.stringContaining(`Invalid date format for ${field}: expected ISO 8601`),
        });
      }
    }
  });

  it("[PROGRESS-9] [LIMIT-1] has progressPageDefault entries unless told, progressPageMax at most, and counts all", async () => {
    const projectId = newProject();
    await Promise.all(Array.from({ length: limits.progressPageDefault + 1 }, () => log({ projectId })));
    const total = limits.progressPageDefault + 1;
    const page = await search({ projectId });
    expect([page.entries.length, page.total]).toEqual([limits.progressPageDefault, total]);
    expect((await search({ projectId, limit: limits.progressPageMax })).entries).toHaveLength(total);
    expect(await search({ projectId, limit: 1 })).toMatchObject({ total, entries: [page.entries[0]] });
    for (const limit of [0, limits.progressPageMax + 1]) {
      expect(await expectFailure(search({ projectId, limit }))).toMatchObject({ code: "bad_request" });
    }
  });

  it("[PROGRESS-9] finds words of the content by their stem, where content is given", async () => {
    const projectId = newProject();
    const id = await log({ projectId, title: "Gateway", content: "Deployments were frozen for a day." });
    await log({ projectId, title: "Other", content: "Nothing of it." });
    expect(await found({ projectId, content: "deployed" })).toEqual([id]);
    expect(await found({ projectId, content: "frozen -day" })).toEqual([]);
    expect(await found({ projectId, query: "frozen" })).toEqual([]);
  });
});

describe("lists", () => {
  const list = (input: Parameters<typeof transport.call<"list_progress">>[1]) =>
    transport.call("list_progress", input);
  const idsOf = async (input: Parameters<typeof list>[0]) => (await list(input)).entries.map(({ id }) => id);

  it("[PROGRESS-13] of all projects: newest first, page by page, each entry once", async () => {
    const agentId = `agent ${randomUUID()}`;
    const [one, two] = [newProject(), newProject()];
    const logged: string[] = [];
    for (const projectId of [one, two, one, two, one]) {
      const entry = { projectId, agentId, title: "Done", content: "Did it.", team_id };
      logged.unshift((await transport.call("log_progress", entry)).id);
    }
    // Entries with the same millisecond timestamp also have a defined order.
    await sql`UPDATE progress_entries SET created_at = '2026-01-01T10:00:00Z' WHERE agent_id = ${agentId}`;
    const found: string[] = [];
    let before: string | null = null;
    do {
      const page: OutputOf<"list_progress"> = await list({
        by: agentId,
        limit: 2,
        ...(before === null ? {} : { before }),
      });
      found.push(...page.entries.map(({ id }) => id));
      before = page.next_cursor;
    } while (before !== null);
    expect(found.toSorted()).toEqual(logged.toSorted());
    expect(await idsOf({ projectId: one })).toEqual(logged.filter((_, index) => index % 2 === 0));
    expect(await idsOf({ by: agentId, startDate: "2026-01-02" })).toEqual([]);
    expect(await idsOf({ by: agentId, endDate: "2026-01-01" })).toHaveLength(5);
  });

  it("[PROGRESS-13] by session, who, tags and one text for title, content and tags, with what was found marked", async () => {
    const session = await createTestSession(transport);
    const projectId = newProject();
    const ours = { projectId, team_id: session.convener };
    const log1 = { ...ours, title: "Issuer", content: "Deployments were frozen.", tags: ["Auth"] };
    const { id: issuer } = await transport.call("log_progress", log1);
    const { id: gateway } = await transport.call("log_progress", {
      ...ours,
      title: "Gateway",
      content: "Moved.",
    });
    const { person_id } = await makePerson(transport, "Ana");
    const asPerson = { ...ours, team_id: person_id, title: "Looked", content: "At it." };
    const { id: anas } = await transport.call("log_progress", { ...asPerson, session: session.slug });
    await transport.call("log_progress", asPerson);
    expect(await idsOf({ session: session.slug })).toEqual([anas, gateway, issuer]);
    expect(await idsOf({ session: session.sessionId, by: "Ana" })).toEqual([anas]);
    expect(await idsOf({ projectId, tags: ["auth"] })).toEqual([issuer]);
    expect(await idsOf({ projectId, text: "sSu" })).toEqual([issuer]);
    expect(await idsOf({ projectId, text: "auth" })).toEqual([issuer]);
    expect(await list({ projectId, text: "deployed" })).toEqual({
      entries: [
        {
          id: issuer,
          projectId,
          title: "Issuer",
          createdAt: expect.any(String),
          tags: ["Auth"],
          agentId: null,
          loggedBy: "Atlas",
          session: session.slug,
          summary: null,
          opening: "Deployments were frozen.",
          marked: "«Deployments» were frozen.",
        },
      ],
      next_cursor: null,
    });
    await transport.call("get_context", { projectId, id: issuer });
    expect(await list({ id: issuer })).toMatchObject({ entries: [{ summary: "Summarised.", marked: null }] });
    const { progress_entries } = await transport.call("get_session", { session_id: session.sessionId });
    expect(progress_entries).toBe(3);
    expect(await expectFailure(list({ session: "nowhere" }))).toMatchObject({ code: "not_found" });
    const elsewhere = await createTestSession(transport);
    const foreign = transport.call("log_progress", { ...log1, session: elsewhere.slug });
    expect(await expectFailure(foreign)).toMatchObject({ code: "bad_request" });
  });

  it("[PROGRESS-14] [LIMIT-1] the projects, the one with the newest entry first, with how many they have", async () => {
    const [one, two] = [newProject(), newProject()];
    for (const projectId of [one, two, one]) await log({ projectId });
    const { projects, total } = await transport.call("list_progress_projects", { limit: 2 });
    expect(projects).toMatchObject([
      { projectId: one, entries: 2 },
      { projectId: two, entries: 1 },
    ]);
    expect(total).toBeGreaterThanOrEqual(2);
    const { projectsPageMax } = limits;
    const whole = await transport.call("list_progress_projects", { limit: projectsPageMax });
    expect(whole.projects).toHaveLength(Math.min(total, projectsPageMax));
    const tooMany = transport.call("list_progress_projects", { limit: projectsPageMax + 1 });
    expect(await expectFailure(tooMany)).toMatchObject({ code: "bad_request" });
  });

  it("[SEARCH-10] the search finds entries by title, content and tags, in the session that they were logged in", async () => {
    const session = await createTestSession(transport);
    const word = `w${randomUUID().slice(0, 8)}`;
    const projectId = newProject();
    const entry = { projectId, team_id: session.convener, title: "t", content: "c" };
    const { id: byTitle } = await transport.call("log_progress", { ...entry, title: `The ${word}` });
    const { id: byContent } = await transport.call("log_progress", { ...entry, content: `Of ${word}.` });
    const { id: byTag } = await transport.call("log_progress", { ...entry, tags: [word] });
    const find = async (input: { session?: string; query?: string; kinds?: ["progress" | "memory"] }) =>
      (await transport.call("search", { query: word, ...input })).hits;
    const ids = (hits: Awaited<ReturnType<typeof find>>) => hits.map((each) => each.progress_id).toSorted();
    const all = [byTitle, byContent, byTag].toSorted();
    expect(ids(await find({}))).toEqual(all);
    expect(ids(await find({ session: session.slug, kinds: ["progress"] }))).toEqual(all);
    expect(await find({ kinds: ["memory"] })).toEqual([]);
    const other = await createTestSession(transport);
    expect(await find({ session: other.slug })).toEqual([]);
    // A query that contains no words is matched by its characters.
    const { id: signs } = await transport.call("log_progress", { ...entry, content: "a ->> b" });
    expect(ids(await find({ query: "->>", session: session.slug }))).toEqual([signs]);
    const hits = await find({ query: `the ${word}`, session: session.slug });
    expect(hits.find((each) => each.progress_id === byTitle)).toMatchObject({
      kind: "progress",
      progress_id: byTitle,
      project: projectId,
      session: session.slug,
      title: `The ${word}`,
      by: "Atlas",
      key: null,
      marked: `The «${word}»\nc`,
    });
  });
});

describe("summaries", () => {
  /** Logs a new entry and requests its summary. */
  async function ask(content: string): Promise<{ summary: string; again: () => Promise<string> }> {
    const projectId = newProject();
    const id = await log({ projectId, ...refactored, content });
    const again = async () => (await transport.call("get_context", { projectId, id })).summary;
    return { summary: await again(), again };
  }

  const long = `${"How it was done. ".repeat(40)}🌳`;

  it("[PROGRESS-6] section 5: the model is asked once, as configured, and its answer is kept", async () => {
    const before = model.requests.length;
    model.answer = replyWithText("  Moved to JWT.\u0000 ");
    const { summary, again } = await ask(refactored.content);
    expect(summary).toBe("Moved to JWT.");
    model.answer = replyWithText("Something else.");
    expect(await again()).toBe("Moved to JWT.");
    const [asked, ...more] = model.requests.slice(before);
    expect(more).toEqual([]);
    expect(asked).toMatchObject({
      path: "/v1/chat/completions",
      headers: { authorization: `Bearer ${apiKey}` },
      body: {
        model: "gpt-4o-mini",
        max_tokens: 150,
        temperature: 0.3,
        messages: [
          { role: "system", content: expect.stringContaining("two or three sentences") },
          { role: "user", content: `Title: ${refactored.title}\n\nContent:\n${refactored.content}` },
        ],
      },
    });
  });

  it("[PROGRESS-6] a model that takes max_completion_tokens alone is asked again with that, once", async () => {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    const refusing = replyWithBody(400, {
      error: { message, param: "max_tokens", code: "unsupported_parameter" },
    });
    model.answer = (response, asked) =>
      (asked.body.max_tokens === undefined ? replyWithText("Thought, and said.") : refusing)(response, asked);
    const before = model.requests.length;
    expect((await ask(refactored.content)).summary).toBe("Thought, and said.");
    const [first, second, ...more] = model.requests.slice(before);
    expect(more).toEqual([]);
    expect(second?.body).toEqual({
      model: "gpt-4o-mini",
      messages: first?.body.messages,
      // The limit includes the model's reasoning tokens.
      max_completion_tokens: 2_150,
    });
    model.answer = refusing;
    expect((await ask("c")).summary).toBe("c");
    expect(model.requests.length - before).toBe(4);
  });

  it("[PROGRESS-6] those who ask at once are given one summary", async () => {
    const before = model.requests.length;
    const projectId = newProject();
    const id = await log({ projectId });
    const answers = Array.from({ length: 5 }, () => transport.call("get_context", { projectId, id }));
    for (const { summary } of await Promise.all(answers)) expect(summary).toBe("Summarised.");
    expect(model.requests.length - before).toBe(1);
  });

  it("[PROGRESS-7] of a huge answer 500 characters are kept; one that does not end is not read to its end", async () => {
    model.answer = replyWithText("s".repeat(5_000));
    expect((await ask("c")).summary).toBe("s".repeat(limits.progressSummaryCharsMax));
    model.answer = replyWithBody(200, `${" ".repeat(3 * 1024 * 1024)}{}`);
    expect((await ask("c")).summary).toBe("c");
  });

  it("[PROGRESS-7] a model on this machine is asked directly, whatever proxy fetch is configured with", async () => {
    // With NODE_USE_ENV_PROXY, Node.js stores a dispatcher for the proxy under this symbol before a program starts.
    const place = Symbol.for("undici.globalDispatcher.1");
    const usual = Reflect.get(globalThis, place);
    const proxied: string[] = [];
    const noting = (options: { origin: unknown }, handler: unknown) => {
      proxied.push(String(options.origin));
      return usual.dispatch(options, handler);
    };
    Reflect.set(globalThis, place, { dispatch: noting });
    onTestFinished(() => void Reflect.set(globalThis, place, usual));
    await fetch(`${broker.url}/api/sign-in`);
    expect(proxied).toEqual([new URL(broker.url).origin]);
    model.answer = replyWithText("Asked directly.");
    expect((await ask("direct")).summary).toBe("Asked directly.");
    expect(proxied).not.toContain(new URL(model.url).origin);
  });

  it("[PROGRESS-7] section 5.6: a failure is logged, the content's first 500 characters are given, and nothing is kept", async () => {
    const failing: [string, ModelServer["answer"], RegExp][] = [
      [
        "a wrong key",
        replyWithBody(401, { error: { message: `Incorrect API key: ${apiKey}` } }),
        /refused the key \(401\)/,
      ],
      [
        "a rate limit",
        replyWithBody(429, { error: { message: "slow down" } }),
        /rate limit was exceeded \(429\)/,
      ],
      ["a fault", replyWithBody(500, "<html>"), /status 500/],
      ["no JSON", replyWithBody(200, `no json ${apiKey}`), /malformed/],
      ["another shape", replyWithBody(200, { choices: [] }), /blank/],
      ["a blank answer", replyWithText(" \n"), /blank/],
      ["a broken connection", (response) => response.destroy(), /not be reached|malformed/],
      ["a redirect", (response) => response.writeHead(302, { location: model.url }).end(), /not/],
    ];
    for (const [name, answer, told] of failing) {
      model.answer = answer;
      const { summary, again } = await ask(long);
      expect([name, summary]).toEqual([name, long.slice(0, 500)]);
      const logged = JSON.parse(broker.logged.at(-1) ?? "{}");
      // Section 9.4 of the progress log's description: a log line has a time, a level and a message.
      const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
      const expected = { at, level: "error", message: expect.stringMatching(told) };
      expect([name, logged]).toEqual([name, expect.objectContaining(expected)]);
      model.answer = replyWithText("Now it works.");
      expect([name, await again()]).toEqual([name, "Now it works."]);
    }
    expect(broker.logged.join("\n")).not.toContain(apiKey);
  });

  it("[PROGRESS-8] section 10.2: the key is stored in no table of the database, and in no answer", async () => {
    model.answer = replyWithBody(401, { error: { message: `Incorrect API key: ${apiKey}` } });
    const { summary } = await ask("c");
    expect(summary).toBe("c");
    const tables = await sql`SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`;
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables) {
      const rows = await sql`SELECT FROM ${sql(name)} t WHERE strpos(t::text, ${apiKey}) > 0`;
      expect([name, rows.length]).toEqual([name, 0]);
    }
  });

  it("[PROGRESS-7] a slow answer is not waited for, and is there for the next call; one that never comes is given up", async () => {
    const { at, entry, hurried } = await startHurried({ waitMs: 1, timeoutMs: 60_000 });
    let finish: (() => void) | undefined;
    model.answer = (response, asked) => {
      finish = () => replyWithText("Late, but here.")(response, asked);
    };
    const summaryOf = async () => (await at.call("get_context", entry)).summary;
    expect(await summaryOf()).toBe(long.slice(0, 500));
    await expect.poll(() => finish).toBeDefined();
    finish?.();
    await expect.poll(summaryOf).toBe("Late, but here.");

    model.answer = () => undefined;
    const impatient = await startHurried({ timeoutMs: 50 });
    const { summary } = await impatient.at.call("get_context", impatient.entry);
    expect(summary).toBe(long.slice(0, 500));
    expect(impatient.hurried.logged.at(-1)).toContain("it took too long");
    expect(hurried.logged.join()).not.toContain("it took too long");
  });

  /** Starts a broker with the given time limits, and logs an entry that has no summary yet. */
  async function startHurried(patience: { waitMs?: number; timeoutMs: number }) {
    const hurried = await startTestBroker({ summaries: { apiKey, baseUrl: model.url, ...patience } });
    const at = await brokerTransports.rest(hurried.url);
    const projectId = "p";
    const own = (await createTestSession(at)).convener;
    const { id } = await at.call("log_progress", { projectId, title: "t", content: long, team_id: own });
    return { at, hurried, entry: { projectId, id } };
  }

  it("[PROGRESS-7] without a key the content stands for the summary, and the broker asks nobody", async () => {
    const before = model.requests.length;
    const keyless = await startTestBroker();
    const at = await brokerTransports.websocket(keyless.url);
    const own = (await createTestSession(at)).convener;
    const entry = { projectId: "p", title: "t", content: `${"c".repeat(499)}🌳`, team_id: own };
    const { id } = await at.call("log_progress", entry);
    // Shortening the summary does not split a character.
    expect((await at.call("get_context", { projectId: "p", id })).summary).toBe("c".repeat(499));
    await at.close();
    expect(model.requests.length).toBe(before);
  });
});
