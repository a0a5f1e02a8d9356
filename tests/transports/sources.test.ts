import { join } from "node:path";
import { limits } from "@merkle/wire/limits";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { createFakeRunner } from "../kit/fake-runner.js";
import { makePerson } from "../kit/persons.js";
import { expectFailure } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { guide, type StagedRepository, secret, stageRepository } from "../sources/staged-repository.js";

const cleanup = createCleanup();
const fake = createFakeRunner();
const author = { name: "Agent", email: "agent@example.com" };
const nothing = { open_topics: 0, open_proposals: 0, jobs_in_flight: 0 };
let at: StagedRepository;
let broker: TestBroker;
let rest: TransportClient;

beforeAll(async () => {
  at = await stageRepository(cleanup);
  const roots = { docs: at.folder, gone: join(at.top, "nowhere") };
  broker = await startTestBroker({ agent: { ...fake.agent, roots, author } }, cleanup);
  rest = await brokerTransports.rest(broker.url);
});

it("[SOURCE-6] the files that Git keeps under the roots are listed and read, and what hinders a root is said", async () => {
  await at.write("secret.env", secret);
  const listed = await rest.call("list_sources", {});
  expect(listed).toEqual({
    roots: [
      { root: "docs", problem: null },
      { root: "gone", problem: expect.stringContaining("There is no folder") },
    ],
    files: [
      { source_path: "docs/README.md", ...nothing },
      { source_path: "docs/docs/guide.md", ...nothing },
    ],
    has_more: false,
    can_commit: true,
  });
  expect((await rest.call("list_sources", { query: "GUIDE" })).files).toHaveLength(1);
  expect(await rest.call("list_sources", { names_only: true })).toMatchObject({
    roots: [{ root: "docs" }, { root: "gone" }],
    files: [],
  });
  expect(await rest.call("list_sources", { limit: 1 })).toMatchObject({ has_more: true });
  expect(
    await expectFailure(rest.call("list_sources", { limit: limits.sourcesListedMax + 1 })),
  ).toMatchObject({
    code: "bad_request",
  });
  expect(await rest.call("read_source", { source_path: "docs/docs/guide.md" })).toEqual({
    source_path: "docs/docs/guide.md",
    source_sha: await at.git("rev-parse", "HEAD:docs/guide.md"),
    committed: true,
    text: guide,
  });
  const { last_commit } = await rest.call("read_source", {
    source_path: "docs/docs/guide.md",
    last_commit: true,
  });
  expect(last_commit).toEqual({
    commit: await at.git("rev-parse", "HEAD"),
    by: "Owner",
    at: new Date(Number(await at.git("show", "-s", "--format=%ct")) * 1_000).toISOString(),
    subject: "Begin",
  });
});

it("[SOURCE-2] [SOURCE-3] nothing else is read: what leads out, looks like an option, or Git does not keep", async () => {
  const read = (source_path: string) => expectFailure(rest.call("read_source", { source_path }));
  for (const bad of [
    ...["docs", "docs/", "/docs/a", "docs//a", "docs/../a", "docs/./a", "../a/b", "docs/a/..", "docs/-rf"],
    ...[
      "docs/.git/config",
      "docs/.GIT/config",
      "docs/.git./config",
      "docs/.g\u200cit/config",
      "docs/git~1/config",
    ],
    ...["-x/a", "docs/a\nb", "docs/a\\b", "docs/a\u202eb", `docs/${"a".repeat(400)}`, "docs/\u0000"],
  ])
    expect(await read(bad), bad).toMatchObject({ code: "bad_request" });
  for (const bad of [
    "docs/secret.env",
    "docs/docs",
    "docs/nothing.md",
    "other/README.md",
    "gone/README.md",
  ]) {
    const failure = await read(bad);
    expect(failure, bad).toMatchObject({ code: "not_found" });
    expect(failure.message).not.toContain(secret);
  }
  const unknown = { source_path: "docs/README.md", source_sha: "0".repeat(40) };
  expect(await expectFailure(rest.call("read_source", unknown))).toMatchObject({ code: "not_found" });
});

it("[SOURCE-1] the roots are the main mesh's alone", async () => {
  await rest.call("create_mesh", { name: "other" });
  const other = await brokerTransports.rest(broker.url, { mesh: "other" });
  expect(await other.call("list_sources", {})).toMatchObject({ roots: [], files: [], can_commit: false });
  const reading = other.call("read_source", { source_path: "docs/README.md" });
  expect(await expectFailure(reading)).toMatchObject({ code: "not_found" });
});

const source_path = "docs/docs/guide.md";
const rewritten = guide.replace("an hour", "a day");

async function openTopic(text = "How long, and why?") {
  const { source_sha } = await rest.call("read_source", { source_path });
  const { person_id } = await makePerson(rest, "Ana");
  const opening = { source_path, source_sha, quote: "Tokens live", text, team_id: person_id };
  return { source_sha, person_id, topic: await rest.call("open_topic", opening) };
}

it("[SOURCE-7] [SOURCE-11] [PROP-5] a file is commented on, rewritten by an agent, and committed when a person accepts", async () => {
  const { source_sha, person_id, topic } = await openTopic();
  const { topic_id } = topic;
  expect(topic).toMatchObject({ source_path, session_id: null, place: { found: "exact", hash: source_sha } });

  const starting = { kind: "incorporate", source_path, topic_id, team_id: person_id } as const;
  const { job_id } = await rest.call("start_job", starting);
  expect(await expectFailure(rest.call("start_job", starting))).toMatchObject({ details: { job_id } });
  const run = await fake.next();
  expect(run.job.parameters).toEqual({
    "Topic ID": String(topic_id),
    "Source path": source_path,
    "Base source SHA": source_sha,
    "Repo root": at.folder,
  });
  const agent = await brokerTransports.rest(broker.url, { token: run.job.credential });
  const listed = async () => (await rest.call("list_sources", { query: "guide" })).files;
  expect(await listed()).toEqual([{ source_path, open_topics: 1, open_proposals: 0, jobs_in_flight: 1 }]);
  expect(await agent.call("read_source", { source_path })).toMatchObject({ source_sha, text: guide });
  expect((await agent.call("list_topics", { source_path })).topics).toHaveLength(1);
  const other = { source_path: "docs/README.md" };
  expect(await expectFailure(agent.call("read_source", other))).toMatchObject({ code: "forbidden" });
  expect(await expectFailure(agent.call("list_topics", other))).toMatchObject({ code: "forbidden" });
  expect(await expectFailure(agent.call("list_sources", {}))).toMatchObject({ code: "forbidden" });
  const proposing = { topic_id, base_sha: source_sha, content: `${rewritten}A last line.\n`, note: "A day." };
  const { proposal_id } = await agent.call("insert_proposal", proposing);
  run.end({ exit_code: 0 });
  await expect.poll(async () => (await rest.call("get_job", { job_id })).status).toBe("succeeded");
  expect(await rest.call("list_jobs", { source_path })).toMatchObject({ jobs: [{ job_id, source_path }] });
  expect(await listed()).toEqual([{ source_path, open_topics: 1, open_proposals: 1, jobs_in_flight: 0 }]);

  const shown = await rest.call("get_proposal", { proposal_id });
  expect(shown).toMatchObject({ source_path, stale: false, current_sha: source_sha, proposed_by: null });
  expect(shown.hunks).toHaveLength(2);
  const hunks = shown.hunks.slice(0, 1).map(({ id }) => id);
  const accepting = { proposal_id, decision: "accept", base: source_sha, hunks, team_id: person_id } as const;
  const { commit } = await rest.call("decide_proposal", accepting);
  expect(await at.git("log", "-1", "--format=%H|%an|%s|%(trailers:separator=%x2C)")).toBe(
    `${commit}|Agent|Incorporate topic ${topic_id}: How long, and why?|Approved-by: Ana,Merkle-Topic: ${topic_id},Merkle-Proposal: ${proposal_id}`,
  );
  expect(await at.read("docs/guide.md")).toBe(rewritten);
  expect(await at.git("status", "--porcelain")).toBe("?? secret.env");
  expect(await rest.call("get_topic", { topic_id })).toMatchObject({
    status: "closed",
    closed: { reason: "accepted" },
  });
  expect(await rest.call("get_proposal", { proposal_id })).toMatchObject({
    accepted_commit: commit,
    left: [{ old_lines: [], new_lines: ["A last line.\n"] }],
  });
});

it("[SOURCE-7] what was committed meanwhile is not written over: the new base is told, and the proposal goes on from there", async () => {
  const { source_sha, person_id: team_id, topic } = await openTopic("And then?");
  const text = await at.read("docs/guide.md");
  const { topic_id } = topic;
  const proposing = { topic_id, base_sha: source_sha, team_id, content: `${text}\nAsk Ana.\n` };
  const { proposal_id } = await rest.call("insert_proposal", proposing);
  await at.write("docs/guide.md", `Read this first.\n\n${text}`);
  await at.git("commit", "-q", "-a", "-m", "Theirs");
  const current_sha = await at.git("rev-parse", "HEAD:docs/guide.md");

  const accept = (proposal_id: number, base: string) =>
    rest.call("decide_proposal", { proposal_id, decision: "accept", base, team_id });
  expect(await expectFailure(accept(proposal_id, source_sha))).toMatchObject({
    code: "conflict",
    details: { base_sha: source_sha, current_sha, rebased: true },
  });
  expect(await at.git("log", "-1", "--format=%s")).toBe("Theirs");
  expect(await rest.call("get_topic", { topic_id })).toMatchObject({ status: "open" });
  expect(await rest.call("get_proposal", { proposal_id })).toMatchObject({ stale: true, current_sha });

  const rebasing = { proposal_id, decision: "rebase", team_id } as const;
  const { next_proposal_id } = await rest.call("decide_proposal", rebasing);
  await accept(next_proposal_id ?? 0, current_sha);
  expect(await at.read("docs/guide.md")).toBe(`Read this first.\n\n${text}\nAsk Ana.\n`);
  expect(await at.git("status", "--porcelain")).toBe("?? secret.env");
});

it("[PROP-5] whether a proposal is stale is said of the very text that it is shown against, while a file changes", {
  tags: "long",
}, async () => {
  const { source_sha: base_sha, person_id: team_id, topic } = await openTopic("And more?");
  const text = await at.read("docs/guide.md");
  const proposing = { topic_id: topic.topic_id, base_sha, team_id, content: `${text}\nMore.\n` };
  const { proposal_id } = await rest.call("insert_proposal", proposing);
  let isOver = false;
  const changing = (async () => {
    for (let n = 0; !isOver; n += 1)
      await at.write("docs/guide.md", n % 2 === 0 ? `${text}\nTheirs.\n` : text);
    await at.write("docs/guide.md", text);
  })();
  const seen = new Set<boolean>();
  try {
    for (let n = 0; n < 200; n += 1) {
      const { stale, current_sha } = await rest.call("get_proposal", { proposal_id });
      expect(stale).toBe(current_sha !== base_sha);
      seen.add(stale);
    }
  } finally {
    isOver = true;
    await changing;
  }
  expect(seen.size).toBe(2);
  await rest.call("decide_proposal", { proposal_id, decision: "reject", team_id });
});

it("[SOURCE-12] comments stay with their place when a file changes, and are lost when that is gone", async () => {
  const { topic, person_id: team_id } = await openTopic("Here.");
  const { topic_id } = topic;
  const place = async () => {
    const { topics } = await rest.call("list_topics", { source_path, status: "open" });
    return topics.find((each) => each.topic_id === topic_id)?.place;
  };
  const text = await at.read("docs/guide.md");
  await at.write("docs/guide.md", `More above.\n\n${text}`);
  expect(await place()).toMatchObject({
    found: expect.stringMatching(/exact|moved/),
    start: 13 + (topic.place?.start ?? 0),
  });
  await at.write("docs/guide.md", "# Guide\n");
  expect(await place()).toMatchObject({ found: "lost", start: null });
  await at.git("checkout", "-q", "--", "docs/guide.md");
  expect(await place()).toMatchObject({ start: topic.place?.start });
  await rest.call("reply_to_topic", { topic_id, close: "resolved", team_id });
});

it("[SOURCE-13] a file is read as a persona, and that is stale when the file is another one", async () => {
  const { person_id: team_id } = await makePerson(rest, "Ana");
  const reading = { kind: "perspective", source_path, persona_name: "Sceptic", team_id } as const;
  const { job_id } = await rest.call("start_job", reading);
  const run = await fake.next();
  const { "Source SHA": source_sha = "", "Persona SHA": persona_sha = "" } = run.job.parameters;
  const agent = await brokerTransports.rest(broker.url, { token: run.job.credential });
  await agent.call("put_perspective", { source_sha, persona_sha, content: "It does not follow." });
  run.end({ exit_code: 0 });
  await expect.poll(async () => (await rest.call("get_job", { job_id })).status).toBe("succeeded");
  const read = () => rest.call("get_source_perspective", { source_path, persona_name: "sceptic" });
  expect(await read()).toMatchObject({ content: "It does not follow.", stale: false, source_sha });
  expect(await expectFailure(rest.call("start_job", reading))).toMatchObject({ code: "conflict" });
  await at.write("docs/guide.md", "# Another guide\n");
  expect(await read()).toMatchObject({ stale: true, stale_because: ["source"] });
  const { perspectives } = await rest.call("list_source_perspectives", { source_path });
  expect(perspectives).toMatchObject([{ persona_name: "Sceptic", stale: true, source_hash: source_sha }]);
  await at.git("checkout", "-q", "--", "docs/guide.md");
});

it("[TOPIC-7] [SOURCE-11] what was said about a file is found by searching, with the file", async () => {
  const { topic } = await openTopic("Is the gallimaufry meant?");
  const { hits } = await rest.call("search", { query: "gallimaufry" });
  expect(hits).toMatchObject([
    { kind: "topic", topic_id: topic.topic_id, sequence: 1, source_path, session_id: null, session: null },
  ]);
});

it("[SOURCE-13] in a repository that names its texts by SHA-256 they are read, too", async () => {
  const runner = createFakeRunner();
  const long = await stageRepository(onTestFinished, "sha256");
  const agent = { ...runner.agent, roots: { docs: long.folder } };
  const { url } = await startTestBroker({ agent }, onTestFinished);
  const transport = await brokerTransports.rest(url);
  const { person_id: team_id } = await makePerson(transport, "Ana");
  await transport.call("start_job", { kind: "perspective", source_path, persona_name: "Sceptic", team_id });
  const { job, end } = await runner.next();
  const { "Source SHA": source_sha = "", "Persona SHA": persona_sha = "" } = job.parameters;
  expect(source_sha).toMatch(/^[0-9a-f]{64}$/);
  const reader = await brokerTransports.rest(url, { token: job.credential });
  await reader.call("put_perspective", { source_sha, persona_sha, content: "It follows." });
  end({ exit_code: 0 });
  const { perspectives } = await transport.call("list_source_perspectives", { source_path });
  expect(perspectives).toMatchObject([{ source_hash: source_sha, stale: false }]);
});

it("[SOURCE-6] [LIMIT-1] sourcesListedDefault files are listed unless told", async () => {
  const files = Array.from({ length: limits.sourcesListedDefault + 1 }, (_, n) => `many/${n}.md`);
  await Promise.all(files.map((file) => at.write(file, file)));
  await at.git("add", "many");
  await at.git("commit", "--quiet", "-m", "Many");
  const listed = await rest.call("list_sources", { query: "many/" });
  expect(listed.files).toHaveLength(limits.sourcesListedDefault);
  expect(listed.has_more).toBe(true);
});
