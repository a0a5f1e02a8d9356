import { createHash } from "node:crypto";
import { shortenHash } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { toCanonicalJson } from "@merkle/wire/record";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { createFakeRunner, type FakeRun } from "../kit/fake-runner.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure, type TestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

const cleanup = createCleanup();
const fake = createFakeRunner();
let broker: TestBroker;
let rest: TransportClient;
let ana: string;
let session: TestSession;

beforeAll(async () => {
  broker = await startTestBroker({ agent: { ...fake.agent, maxConcurrentJobs: 2 } }, cleanup);
  rest = await brokerTransports.rest(broker.url);
  ana = (await makePerson(rest, "Ana")).person_id;
});

beforeEach(async () => {
  session = await createTestSession(rest);
});

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const asAna = {
  get team_id() {
    return ana;
  },
};
const put = (name: string, prompt: string, expected_version = 0, retired = false) =>
  rest.call("put_persona", { ...asAna, name, prompt, expected_version, retired });

describe("personas", () => {
  it("[PERSONA-1] three come with every mesh, and what was made of one stays through a start", async () => {
    const { name: mesh } = await rest.call("create_mesh", { name: "Readers" });
    const readers = await brokerTransports.rest(broker.url, { mesh });
    for (const transport of [rest, readers]) {
      const { personas } = await transport.call("list_personas", {});
      expect(personas.map(({ name, version, updated_by }) => ({ name, version, updated_by }))).toEqual(
        ["Newcomer", "Operator", "Sceptic"].map((name) => ({ name, version: 1, updated_by: null })),
      );
      for (const { prompt } of personas) expect(prompt.length).toBeGreaterThan(800);
    }
    const bea = (await makePerson(readers, "Bea")).person_id;
    const mine = { name: "Sceptic", prompt: "Doubt all of it.", expected_version: 1, team_id: bea };
    await readers.call("put_persona", mine);
    expect(await rest.call("get_persona", { name: "Sceptic" })).toMatchObject({ version: 1 });
    await broker.restart();
    expect(await readers.call("get_persona", { name: "sceptic" })).toMatchObject({
      name: "Sceptic",
      prompt: "Doubt all of it.",
      version: 2,
      updated_by: "Bea",
    });
  });

  it("[PERSONA-2] [PERSONA-4] are written by people alone, and of two who write at once one succeeds", async () => {
    const prompt = "Read it for what it costs.";
    const made = await put("Bookkeeper", prompt);
    expect(made).toMatchObject({ version: 1, retired: false, updated_by: "Ana" });
    expect(made.hash).toBe(sha256(toCanonicalJson({ name: "Bookkeeper", prompt })));
    const asTeam = { team_id: session.convener, name: "Bookkeeper", prompt: "Obey me.", expected_version: 1 };
    expect(await expectFailure(rest.call("put_persona", asTeam))).toMatchObject({ code: "forbidden" });
    const writes = await Promise.allSettled(["a", "b"].map((text) => put("bookkeeper", text, 1)));
    const [lost] = writes.filter((each) => each.status === "rejected");
    const won = await rest.call("get_persona", { name: "BOOKKEEPER" });
    expect(won).toMatchObject({ name: "bookkeeper", version: 2 });
    expect(lost?.reason).toMatchObject({ code: "conflict", details: { version: 2, persona: won } });
    expect(await expectFailure(put("Bookkeeper", prompt))).toMatchObject({ details: { version: 2 } });
    expect(await expectFailure(put("Nobody", prompt, 3))).toMatchObject({ details: { version: 0 } });
    expect(await expectFailure(put("Bookkeeper", " ", 2))).toMatchObject({ code: "bad_request" });
    expect(await expectFailure(put("../x", prompt))).toMatchObject({ code: "bad_request" });
  });

  it("[PERSONA-3] [PERSONA-5] are retired and restored, and nothing is read as one that is retired", async () => {
    await put("Poet", "Read it aloud.");
    await put("Poet", "Read it aloud.", 1, true);
    const names = async (retired: boolean) =>
      (await rest.call("list_personas", { retired })).personas.map(({ name }) => name);
    expect(await names(false)).not.toContain("Poet");
    expect(await names(true)).toContain("Poet");
    expect(await expectFailure(read("Poet"))).toMatchObject({ code: "conflict", message: /retired/ });
    await put("Poet", "Read it aloud.", 2);
    expect(await names(false)).toContain("Poet");
  });

  it("[PERSONA-6] has at most 100 in a mesh, each with a prompt of at most 8 KiB", async () => {
    await rest.call("create_mesh", { name: "Crowd" });
    const crowd = await brokerTransports.rest(broker.url, { mesh: "Crowd" });
    const { person_id: team_id } = await makePerson(crowd, "Cy");
    const add = (name: string, prompt = "x") =>
      crowd.call("put_persona", { team_id, name, prompt, expected_version: 0 });
    await add("Long", "x".repeat(limits.personaPromptBytesMax));
    expect(await expectFailure(add("Longer", "x".repeat(limits.personaPromptBytesMax + 1)))).toMatchObject({
      code: "payload_too_large",
    });
    const { length } = (await crowd.call("list_personas", {})).personas;
    const missing = limits.personasPerMeshMax - length - 1;
    await connectTestDatabase(broker.databaseUrl)`
      INSERT INTO personas (mesh_id, name_key, name, prompt, hash, version, updated_at)
      SELECT mesh_id, 'r' || n, 'R' || n, 'x', repeat('0', 64), 1, now()
      FROM meshes, generate_series(1, ${missing}) n WHERE name = 'Crowd'`;
    await add("The last");
    expect(await expectFailure(add("One more"))).toMatchObject({ code: "conflict", message: /no more/ });
  });
});

/** Starts a perspective job on the session's document. Returns the run of the job's agent. */
async function read(persona_name: string, again = false): Promise<FakeRun> {
  const { sessionId: session_id, convener: team_id } = session;
  await rest.call("start_job", { kind: "perspective", session_id, persona_name, again, team_id });
  return fake.next();
}

/** Connects with only the credential of a job's agent. */
const asAgent = (run: FakeRun) => brokerTransports.rest(broker.url, { token: run.job.credential });

/** Writes a perspective on the document version at the start of the job, as an agent would. */
async function write(run: FakeRun, content: string) {
  const { "Document version": version, "Persona name": name = "" } = run.job.parameters;
  const agent = await asAgent(run);
  const { hash: persona_sha } = await agent.call("get_persona", { name });
  expect(run.job.parameters["Persona SHA"]).toBe(persona_sha);
  return agent.call("put_perspective", { source_version: Number(version), persona_sha, content });
}

async function end(run: FakeRun): Promise<void> {
  run.end({ exit_code: 0 });
  const { job_id } = run.job;
  await expect.poll(async () => (await rest.call("get_job", { job_id })).status).not.toBe("running");
}

async function readAndWrite(persona_name: string, content: string, again = false): Promise<number> {
  const run = await read(persona_name, again);
  const { perspective_id } = await write(run, content);
  await end(run);
  const { status, result } = await rest.call("get_job", { job_id: run.job.job_id });
  expect({ status, result }).toEqual({
    status: "succeeded",
    result: { kind: "perspective", id: perspective_id },
  });
  return perspective_id;
}

async function writeDocument(content: string): Promise<number> {
  const at = { session_id: session.sessionId, team_id: session.convener };
  const { version } = await rest.call("read_session_doc", at);
  return (await rest.call("update_session_doc", { ...at, content, expected_version: version })).version;
}

const get = (persona_name: string) =>
  rest.call("get_perspective", { session_id: session.sessionId, persona_name });

describe("perspectives", () => {
  it("[PERSPECTIVE-1] [PERSPECTIVE-3] hold until the text or the persona changes, and again when it is as it was", async () => {
    await put("Judge", "Judge it.");
    await writeDocument("# Plan\n");
    expect(await expectFailure(get("Judge"))).toMatchObject({ code: "not_found" });
    const perspective_id = await readAndWrite("judge", "Fair.");
    expect(await get("judge")).toMatchObject({
      perspective_id,
      persona_name: "Judge",
      source_version: 1,
      source_hash: sha256("# Plan\n"),
      content: "Fair.",
      stale: false,
      document_version: 1,
    });
    expect(await expectFailure(read("Judge"))).toMatchObject({
      code: "conflict",
      details: { perspective_id },
    });
    expect(await readAndWrite("Judge", "Fairer.", true)).toBe(perspective_id);
    await writeDocument("# Other plan\n");
    expect(await get("Judge")).toMatchObject({ content: "Fairer.", stale_because: ["source"], stale: true });
    await readAndWrite("Judge", "Less fair.");
    expect(await get("Judge")).toMatchObject({ source_version: 2, stale: false });
    await writeDocument("# Plan\n");
    expect(await get("Judge")).toMatchObject({ perspective_id, content: "Fairer.", stale: false });
    await put("Judge", "Judge it twice.", 1);
    expect(await get("Judge")).toMatchObject({ stale_because: ["persona"] });
  });

  it("[PERSPECTIVE-2] are written by the agent of that job alone, once, for the text that it read", async () => {
    await writeDocument("one");
    const run = await read("Sceptic");
    const { hash: persona_sha } = await rest.call("get_persona", { name: "Sceptic" });
    const reading = { source_version: 1, persona_sha, content: "It does not follow." };
    const asTeam = rest.callRaw("put_perspective", { ...reading, team_id: session.convener });
    expect(await expectFailure(asTeam)).toMatchObject({ code: "forbidden" });
    const agent = await asAgent(run);
    expect(await expectFailure(agent.call("get_persona", { name: "Operator" }))).toMatchObject({
      code: "forbidden",
    });
    const unread = { ...reading, source_version: 2 };
    expect(await expectFailure(agent.call("put_perspective", unread))).toMatchObject({ code: "bad_request" });
    const tooLong = { ...reading, content: "x".repeat(limits.perspectiveBytesMax + 1) };
    expect(await expectFailure(agent.call("put_perspective", tooLong))).toMatchObject({
      code: "payload_too_large",
    });
    await writeDocument("two");
    const longest = {
      ...reading,
      content: "x".repeat(limits.perspectiveBytesMax),
      idempotency_key: "k".repeat(16),
    };
    const written = await agent.call("put_perspective", longest);
    expect(await agent.call("put_perspective", longest)).toEqual(written);
    expect(await expectFailure(agent.call("put_perspective", reading))).toMatchObject({ code: "conflict" });
    expect(await get("Sceptic")).toMatchObject({ source_version: 1, document_version: 2, stale: true });
    await end(run);
    const late = await expectFailure(agent.call("put_perspective", reading));
    expect(late).toMatchObject({ code: "unauthorized" });
  });

  it("[PERSPECTIVE-4] are listed, the best of each persona, and go with a version whose text is removed", async () => {
    await writeDocument("the key is hunter2");
    await readAndWrite("Newcomer", "What is hunter2?");
    await writeDocument("there is no key");
    await readAndWrite("Operator", "Which key?");
    const list = () => rest.call("list_perspectives", { session_id: session.sessionId });
    const names = async () =>
      (await list()).perspectives.map(({ persona_name, stale }) => `${persona_name} ${stale}`);
    expect(await names()).toEqual(["Newcomer true", "Operator false"]);
    expect(await list()).toMatchObject({ document_version: 2 });
    await rest.call("redact_message", {
      session_id: session.sessionId,
      team_id: ana,
      document_versions: { from: 1, to: 1 },
      reason: "holds a key",
    });
    expect(await names()).toEqual(["Operator false"]);
  });
});

describe("a session that goes on from another", () => {
  const from = (title: string, description = "") =>
    rest.call("create_session", {
      title,
      description,
      creator_team_name: "Birch",
      from_session: session.slug,
    });

  it("[SES-30] has the sealed conclusion for its first memory, and says where it comes from", async () => {
    const at = { session_id: session.sessionId, team_id: session.convener };
    expect(await expectFailure(from("Too early"))).toMatchObject({
      code: "conflict",
      message: /not concluded/,
    });
    await session.post(session.convener, "hello");
    await rest.call("conclude_session", { ...at, summary_section: "We keep **v1** for 30 days." });
    const { seal } = await rest.call("get_session", { session_id: session.sessionId });
    const next = await from("The next", "Go on.");
    expect(next.description).toMatch(/^Go on\.\n\nContinues /);
    expect(next.description).toContain(`sealed 1 message, root ${shortenHash(seal?.root ?? "")}.`);
    const { memories } = await rest.call("list_memory", { session: next.slug });
    expect(memories).toMatchObject([
      { id: next.memory_id, tags: ["conclusion"], rememberedBy: "Birch", session: next.slug },
    ]);
    const content = memories[0]?.content ?? "";
    for (const text of [
      "We keep **v1** for 30 days.",
      seal?.root ?? "?",
      `${broker.url}/sessions/${session.slug}`,
    ]) {
      expect(content).toContain(text);
    }
    await rest.call("conclude_session", { ...at, summary_section: "é".repeat(20_000) });
    const long = await from("One more");
    const [cut] = (await rest.call("list_memory", { session: long.slug })).memories;
    expect(Buffer.byteLength(cut?.content ?? "")).toBeGreaterThan(limits.memoryBytesMax - 4);
    expect(cut?.content).toMatch(/éé\n\n\(cut here/);
    expect(await expectFailure(from("Full", "x".repeat(limits.descriptionCharsMax)))).toMatchObject({
      code: "bad_request",
    });
  });
});
