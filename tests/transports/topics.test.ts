import { limits } from "@merkle/wire/limits";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure, type TestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

const cleanup = createCleanup();
let broker: TestBroker;
let rest: TransportClient;
let session: TestSession;

beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  rest = await brokerTransports.rest(broker.url);
});

beforeEach(async () => {
  session = await createTestSession(rest);
});

const plan = "# Plan\n\nTokens live in the keyring. They rotate each day.\n\n- retry\n- retry\n";
const own = () => ({ session_id: session.sessionId, team_id: session.convener });
const write = (content: string, expected_version = 0) =>
  rest.call("update_session_doc", { ...own(), content, expected_version });

describe("opening a topic", () => {
  it("[TOPIC-1] keeps what it is about with what stands around it, and tells the session", async () => {
    await write(plan);
    const topic = await rest.call("open_topic", {
      ...own(),
      version: 1,
      quote: "rotate each day",
      text: "\nWho rotates them?\nAnd when?",
    });
    const start = plan.indexOf("rotate each day");
    expect(topic).toMatchObject({
      title: "Who rotates them?",
      status: "open",
      session: session.slug,
      source_path: null,
      closed: null,
      anchor: { quote: "rotate each day", suffix: ".\n\n- retry\n- retry\n", version: 1, hash: null },
      place: { found: "exact", start, end: start + 15, version: 1, hash: null },
      messages_count: 1,
    });
    expect(plan.slice(0, start).endsWith(topic.anchor?.prefix ?? "?")).toBe(true);
    const { messages } = await rest.call("get_history", own());
    expect(messages.at(-1)).toMatchObject({
      event: "topic_opened",
      topic_id: topic.topic_id,
      title: "Who rotates them?",
      quote: "rotate each day",
    });
  });
});

const open = (quote: string | undefined, version: number, more: object = {}) =>
  rest.call("open_topic", { ...own(), version, quote, text: "Why?", ...more });
const placeOf = async (topic_id: number) => (await rest.call("get_topic", { topic_id })).place;

describe("a place", () => {
  it("[ANCHOR-6] [ANCHOR-7] follows the document through its versions, and says of which one it is", async () => {
    await write(plan);
    const { topic_id } = await open("rotate each day", 1);
    const later = plan.replace("# Plan\n", "# Plan\n\nA new line above.\n");
    await write(later, 1);
    const start = later.indexOf("rotate each day");
    await expect
      .poll(() => placeOf(topic_id))
      .toEqual({ found: "exact", start, end: start + 15, version: 2, hash: null });

    await write(later.replace("They rotate each day.", ""), 2);
    await expect
      .poll(() => placeOf(topic_id))
      .toEqual({ found: "lost", start: null, end: null, version: 3, hash: null });
    // A passage that reappears in the document is found from its last known position.
    await write(later, 3);
    await expect
      .poll(() => placeOf(topic_id))
      .toEqual({ found: "exact", start, end: start + 15, version: 4, hash: null });
  });

  it("[ANCHOR-6] of a topic on an older version is looked for in the current one", async () => {
    await write(plan);
    await write(plan.replace("keyring", "system's keyring"), 1);
    const { topic_id } = await open("Tokens live in the keyring.", 1);
    await expect.poll(() => placeOf(topic_id)).toMatchObject({ found: "reworded", version: 2 });
  });
});

describe("what is marked", () => {
  it("[TOPIC-1] must stand in the version that was read, once or where it is said to begin", async () => {
    await write(plan);
    expect(await expectFailure(open("rotates", 1))).toMatchObject({
      code: "conflict",
      details: { current_version: 1 },
    });
    expect(await expectFailure(open("- retry", 1))).toMatchObject({
      code: "bad_request",
      details: { matches: 2 },
    });
    expect(await expectFailure(open("Tokens", 9))).toMatchObject({ code: "not_found" });
    const second = plan.lastIndexOf("- retry");
    expect((await open("- retry", 1, { start: second })).place).toMatchObject({ start: second });
    expect((await open("- retry", 1, { prefix: "- retry\n" })).place).toMatchObject({ start: second });
    expect(await open(undefined, 0)).toMatchObject({ anchor: null, place: null });
  });

  it("[LIMIT-1] quoteCharsMax, quoteContextCharsMax and topicMessageBytesMax", async () => {
    const { quoteCharsMax, quoteContextCharsMax, topicMessageBytesMax } = limits;
    const long = "x".repeat(quoteCharsMax + 1);
    await write(`${long}\n`);
    expect(await expectFailure(open(long, 1))).toMatchObject({ code: "bad_request" });
    const prefix = long.slice(0, quoteContextCharsMax + 1);
    expect(await expectFailure(open(long.slice(1), 1, { start: 1, prefix }))).toMatchObject({
      code: "bad_request",
    });
    expect((await open(long.slice(1), 1, { start: 1 })).anchor?.prefix).toBe("x");
    const text = "x".repeat(topicMessageBytesMax);
    expect(await open(undefined, 1, { text })).toMatchObject({ title: `${"x".repeat(199)}…` });
    expect(await expectFailure(open(undefined, 1, { text: `${text}x` }))).toMatchObject({
      code: "payload_too_large",
    });
  });
});

it("[TOPIC-10] what was removed from a version is not quoted by a topic either", async () => {
  await write(plan);
  await write("# Plan\n", 1);
  const { topic_id } = await open("keyring", 1);
  await rest.call("redact_message", { ...own(), document_versions: { from: 1, to: 1 } });
  const { anchor } = await rest.call("get_topic", { topic_id });
  expect(anchor).toMatchObject({ quote: "(removed)", prefix: "", suffix: "" });
});

describe("talking in a topic", () => {
  const reply = (topic_id: number, more: object, team_id = session.convener) =>
    rest.call("reply_to_topic", { team_id, topic_id, ...more });

  /** Inserts this many more topics into an existing topic's session. */
  async function fill(topic_id: number, count: number): Promise<void> {
    const sql = connectTestDatabase(broker.databaseUrl);
    await sql`INSERT INTO topics (mesh_id, number, session_id, title, opened_by, opened_at, made_at_version, last_sequence)
      SELECT mesh_id, number + n, session_id, 'T', 'Birch', now(), 0, 0 FROM topics, generate_series(1, ${count}) n
      WHERE number = ${topic_id}`;
    await sql`UPDATE meshes SET last_topic = ${topic_id + count}`;
  }

  it("[TOPIC-4] keeps what is said in order, and who said it", async () => {
    const { topic_id } = await open(undefined, 0);
    const ana = await makePerson(rest, "Ana");
    await reply(topic_id, { text: "Because." }, ana.person_id);
    const { messages, next_after } = await rest.call("get_topic", { topic_id });
    expect(messages).toMatchObject([
      { sequence: 1, text: "Why?", human: false, job_id: null, proposal_id: null },
      { sequence: 2, text: "Because.", by: "Ana", human: true },
    ]);
    expect(next_after).toBeNull();
    const other = await createTestSession(rest);
    expect(await expectFailure(reply(topic_id, { text: "Mine?" }, other.convener))).toMatchObject({
      code: "bad_request",
    });
    expect(await expectFailure(reply(topic_id, {}))).toMatchObject({ code: "bad_request" });
  });

  it("[TOPIC-5] is closed once, and told to the session", async () => {
    const { topic_id } = await open(undefined, 0);
    const closing = ["resolved", "withdrawn"].map((close) =>
      reply(topic_id, { close }).catch(({ code }) => code),
    );
    const ended = await Promise.all(closing);
    expect(ended).toContain("conflict");
    expect(ended).toContainEqual(expect.objectContaining({ status: "closed" }));
    expect(await expectFailure(reply(topic_id, { text: "Still?" }))).toMatchObject({ code: "conflict" });
    const { messages } = await rest.call("get_history", own());
    expect(messages.filter((each) => each.event === "topic_closed")).toMatchObject([{ topic_id }]);
    expect((await rest.call("list_topics", { ...own(), status: "open" })).topics).toEqual([]);
  });

  it("[TOPIC-12] is reopened once, whatever it was closed for, and told to the session", async () => {
    const { topic_id } = await open(undefined, 0);
    expect(await expectFailure(reply(topic_id, { reopen: true }))).toMatchObject({
      code: "conflict",
      details: { status: "open" },
    });
    await reply(topic_id, { close: "withdrawn" });
    expect(await expectFailure(reply(topic_id, { reopen: true, close: "resolved" }))).toMatchObject({
      code: "bad_request",
    });
    const reopening = ["Not yet.", "Nor I think so."].map((text) =>
      reply(topic_id, { reopen: true, text }).catch(({ code }) => code),
    );
    const ended = await Promise.all(reopening);
    expect(ended).toContain("conflict");
    expect(ended).toContainEqual(
      expect.objectContaining({ status: "open", closed: null, messages_count: 2 }),
    );
    const { messages } = await rest.call("get_history", own());
    expect(messages.filter(({ event }) => event === "topic_reopened")).toMatchObject([
      { topic_id, title: "Why?" },
    ]);
    expect(await reply(topic_id, { close: "resolved" })).toMatchObject({ closed: { reason: "resolved" } });
    await rest.call("conclude_session", { ...own(), summary_section: "Done." });
    expect(await expectFailure(reply(topic_id, { reopen: true }))).toMatchObject({ code: "session_closed" });
  });

  it("[TOPIC-12] is not reopened by a stranger, nor beyond what a document may have open", async () => {
    const { topic_id } = await open(undefined, 0);
    await reply(topic_id, { close: "resolved" });
    const other = await createTestSession(rest);
    expect(await expectFailure(reply(topic_id, { reopen: true }, other.convener))).toMatchObject({
      code: "bad_request",
    });
    await fill(topic_id, limits.openTopicsPerSourceMax);
    expect(await expectFailure(reply(topic_id, { reopen: true }))).toMatchObject({
      code: "conflict",
      details: { open_max: limits.openTopicsPerSourceMax },
    });
    expect(await rest.call("get_topic", { topic_id })).toMatchObject({ status: "closed" });
  });

  it("[TOPIC-12] one whose proposal was accepted is reopened, and its place is taken up in the newest text", async () => {
    await write(plan);
    const { topic_id } = await open("rotate each day", 1);
    const ana = (await makePerson(rest, "Ana")).person_id;
    const { proposal_id } = await rest.call("insert_proposal", {
      topic_id,
      team_id: session.convener,
      base_version: 1,
      content: plan.replace("keyring", "keyring of the system"),
    });
    await rest.call("decide_proposal", { proposal_id, team_id: ana, decision: "accept", base: 1 });
    const later = `Read this first.\n\n${plan}`;
    await write(later, 2);
    expect(await rest.call("get_topic", { topic_id })).toMatchObject({
      closed: { by: "Ana", reason: "accepted" },
      place: { version: 1 },
    });
    await reply(topic_id, { reopen: true }, ana);
    const start = later.indexOf("rotate each day");
    await expect
      .poll(() => placeOf(topic_id))
      .toEqual({ found: "exact", start, end: start + 15, version: 3, hash: null });
    const proposal = { topic_id, team_id: session.convener, base_version: 3, content: plan };
    expect(await rest.call("insert_proposal", proposal)).toMatchObject({ revision: 2 });
  });

  it("[TOPIC-3] is read in pages; [LIMIT-1] topicMessagesPageMax", async () => {
    const { topic_id } = await open(undefined, 0);
    const sql = connectTestDatabase(broker.databaseUrl);
    await sql`INSERT INTO topic_messages (mesh_id, topic, sequence, author, text, at)
      SELECT mesh_id, number, n, 'Birch', 'more', now() FROM topics, generate_series(2, ${limits.topicMessagesPageMax + 1}) n
      WHERE number = ${topic_id}`;
    const first = await rest.call("get_topic", { topic_id });
    expect(first).toMatchObject({ next_after: limits.topicMessagesPageMax });
    const last = await rest.call("get_topic", { topic_id, after: first.next_after ?? 0 });
    expect(last).toMatchObject({
      messages: [{ sequence: limits.topicMessagesPageMax + 1 }],
      next_after: null,
    });
  });

  it("[TOPIC-2] lists newest first, in pages; [LIMIT-1] topicsPageDefault, topicsPageMax and openTopicsPerSourceMax", async () => {
    const { topic_id } = await open(undefined, 0);
    const { openTopicsPerSourceMax: most } = limits;
    await fill(topic_id, most - 1);
    expect(await expectFailure(open(undefined, 0))).toMatchObject({
      code: "conflict",
      details: { open_max: most },
    });
    const first = await rest.call("list_topics", own());
    expect(first.topics).toHaveLength(limits.topicsPageDefault);
    expect(first.topics[0]?.topic_id).toBe(topic_id + most - 1);
    const all = await rest.call("list_topics", { ...own(), limit: limits.topicsPageMax });
    expect(all.next_before).toBeNull();
    const over = rest.call("list_topics", { ...own(), limit: limits.topicsPageMax + 1 });
    expect(await expectFailure(over)).toMatchObject({ code: "bad_request" });
  });

  it("[TOPIC-6] ends with the session; [TOPIC-7] is found by searching", async () => {
    const { topic_id } = await open(undefined, 0, { text: "Zucchini in the keyring?" });
    const { hits } = await rest.call("search", { team_id: session.convener, query: "zucchini" });
    expect(hits).toMatchObject([
      { kind: "topic", topic_id, session: session.slug, sequence: 1, memory_id: null },
    ]);
    await rest.call("conclude_session", { ...own(), summary_section: "Done." });
    for (const late of [() => reply(topic_id, { text: "Late." }), () => open(undefined, 0)])
      expect(await expectFailure(late())).toMatchObject({ code: "session_closed" });
    expect(await rest.call("get_topic", { topic_id })).toMatchObject({ status: "open" });
  });

  it("[TOPIC-8] a job rewrites for an open topic of its session alone", async () => {
    const { topic_id } = await open(undefined, 0);
    const other = await createTestSession(rest);
    const start = (session_id: string, team_id: string) =>
      rest.call("start_job", { kind: "incorporate", topic_id, session_id, team_id });
    expect(await expectFailure(start(other.sessionId, other.convener))).toMatchObject({ code: "not_found" });
    const { job_id } = await start(session.sessionId, session.convener);
    expect(await rest.call("get_job", { job_id })).toMatchObject({ topic_id });
    await reply(topic_id, { close: "resolved" });
    await rest.call("cancel_job", { job_id, team_id: session.convener });
    expect(await expectFailure(start(session.sessionId, session.convener))).toMatchObject({
      code: "conflict",
    });
  });
});
