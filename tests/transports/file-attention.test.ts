import { connect, type MeshChange } from "@merkle/wire/client";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createCleanup } from "../kit/cleanup.js";
import { createFakeRunner } from "../kit/fake-runner.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { type FileWork, workOnFile } from "../sources/file-work.js";
import { type StagedRepository, stageRepository } from "../sources/staged-repository.js";

const cleanup = createCleanup();
const fake = createFakeRunner();
const source_path = "docs/docs/guide.md";
let repository: StagedRepository;
let broker: TestBroker;
let transport: TransportClient;
let team_id: string;
let work: FileWork;

beforeAll(async () => {
  repository = await stageRepository(cleanup);
  const author = { name: "Agent", email: "agent@example.com" };
  const agent = { ...fake.agent, roots: { docs: repository.folder }, author };
  broker = await startTestBroker({ agent }, cleanup);
  transport = await brokerTransports.rest(broker.url);
  team_id = (await makePerson(transport, "Ana")).person_id;
  work = workOnFile(transport, { source_path, team_id, runner: fake });
});

async function ofFiles() {
  const { items } = await transport.call("list_attention", {});
  return items.filter((item) => item.source_path !== null);
}

it("[ATT-9] an open proposal waits in no session, and goes when it is decided; a rebased one is the next", async () => {
  const topic_id = await work.openTopic();
  const first = await work.propose(topic_id, "A day.");
  const [item, ...more] = await ofFiles();
  expect(more).toEqual([]);
  expect(item).toEqual({
    id: `proposal:file:${first}`,
    kind: "proposal",
    session_id: null,
    session: null,
    session_title: null,
    source_path,
    since: (await transport.call("get_proposal", { proposal_id: first })).proposed_at,
    sequence: null,
    number: first,
    team: "Ana",
    peer: null,
    text: "+2 \u22120 to the file",
    options: [],
    blocked_reason: null,
    needs_person: true,
    unanswered: false,
    dismissed: false,
    snoozed_until: null,
  });
  await repository.write("docs/guide.md", `Read this first.\n\n${await repository.read("docs/guide.md")}`);
  await repository.git("commit", "-q", "-a", "-m", "Theirs");
  const rebasing = { proposal_id: first, decision: "rebase", team_id } as const;
  const { next_proposal_id } = await transport.call("decide_proposal", rebasing);
  expect(await ofFiles()).toMatchObject([{ id: `proposal:file:${next_proposal_id}` }]);
  const base = (await transport.call("read_source", { source_path })).source_sha;
  const accepting = { proposal_id: next_proposal_id ?? 0, decision: "accept", base, team_id } as const;
  await transport.call("decide_proposal", accepting);
  expect(await ofFiles()).toEqual([]);
});

it("[ATT-9] one that was returned goes, its failed job waits until it is started anew or its topic is closed", async () => {
  const topic_id = await work.openTopic();
  const proposal_id = await work.propose(topic_id, "A week.");
  const returning = { proposal_id, decision: "return", remark: "Why?", team_id } as const;
  const { job_id } = await transport.call("decide_proposal", returning);
  expect(await ofFiles()).toEqual([]);
  (await fake.next()).end({ exit_code: 3 });
  await expect.poll(ofFiles).toMatchObject([
    {
      id: `job_failed:file:${job_id}`,
      source_path,
      number: job_id,
      team: null,
      text: "incorporate: Agent failed with exit code 3. See its log.",
    },
  ]);
  const second = await work.failJob(topic_id);
  expect(await ofFiles()).toMatchObject([{ id: `job_failed:file:${second}` }]);
  await work.propose(topic_id, "A month.");
  expect((await ofFiles()).map(({ kind }) => kind)).toEqual(["proposal", "job_failed"]);
  await transport.call("reply_to_topic", { topic_id, close: "withdrawn", team_id });
  expect(await ofFiles()).toEqual([]);
});

it("[ATT-9] it is counted, in no session's list, and in no other mesh; what is put away of it comes back", async () => {
  const session = await createTestSession(transport);
  await transport.call("post_message", {
    session_id: session.sessionId,
    team_id: session.convener,
    content: { text: "Which?", kind: "ask" },
  });
  const [before, needing] = await Promise.all([
    transport.call("list_attention", { team_id }),
    transport.call("list_sessions", { needs: true }),
  ]);
  const topic_id = await work.openTopic();
  const id = `proposal:file:${await work.propose(topic_id, "A year.")}`;
  expect(await transport.call("list_attention", { team_id })).toMatchObject({ total: before.total + 1 });
  expect((await transport.call("list_sessions", { needs: true })).sessions).toHaveLength(
    needing.sessions.length,
  );
  const { items } = await transport.call("list_attention", { session: session.slug });
  expect(items.map(({ kind }) => kind)).toEqual(["ask"]);
  await transport.call("create_mesh", { name: "elsewhere" });
  const elsewhere = await brokerTransports.rest(broker.url, { mesh: "elsewhere" });
  expect(await elsewhere.call("list_attention", {})).toMatchObject({ items: [], total: 0 });

  await transport.call("dismiss_attention", { id, team_id });
  expect(await transport.call("list_attention", { team_id })).toMatchObject({
    total: before.total,
    dismissed: 1,
  });
  expect((await ofFiles()).map((item) => item.id)).toEqual([id]);
  await transport.call("dismiss_attention", { id, undo: true, team_id });
  expect(await transport.call("list_attention", { team_id })).toMatchObject({ total: before.total + 1 });
  await transport.call("reply_to_topic", { topic_id, close: "resolved", team_id });
});

it("[MESH-2] [ATT-9] who watches is told of each of it, of no session in particular", async () => {
  const told: MeshChange[] = [];
  const client = connect({ url: broker.url, WebSocket });
  onTestFinished(() => client.close());
  await client.watchMesh({ onChanged: (change) => told.push(change) }).ready;
  const hears = async <Made>(does: () => Promise<Made>): Promise<Made> => {
    told.length = 0;
    const made = await does();
    await expect.poll(() => told).toContainEqual({ kind: "attention", session_id: null });
    return made;
  };
  const topic_id = await work.openTopic();
  const proposal_id = await hears(() => work.propose(topic_id, "A decade."));
  await hears(() => transport.call("decide_proposal", { proposal_id, decision: "reject", team_id }));
  await hears(() => work.failJob(topic_id));
  await hears(() => work.failJob(topic_id));
  await hears(() => transport.call("reply_to_topic", { topic_id, close: "resolved", team_id }));
});
