import { connect, type MeshChange } from "@merkle/wire/client";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { atEnd } from "../kit/at-end.js";
import { brokerDoors, type Door } from "../kit/doors.js";
import { createFakeRunner } from "../kit/fake-runner.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type FileWork, workOnFile } from "../sources/file-work.js";
import { type StagedRepository, stageRepository } from "../sources/staged-repository.js";

const cleanup = atEnd();
const fake = createFakeRunner();
const source_path = "docs/docs/guide.md";
let repository: StagedRepository;
let broker: TestBroker;
let door: Door;
let team_id: string;
let work: FileWork;

beforeAll(async () => {
  repository = await stageRepository(cleanup);
  const author = { name: "Agent", email: "agent@example.com" };
  const agent = { ...fake.agent, roots: { docs: repository.folder }, author };
  broker = await startTestBroker({ agent }, cleanup);
  door = await brokerDoors.rest(broker.url);
  team_id = (await makePerson(door, "Ana")).person_id;
  work = workOnFile(door, { source_path, team_id, runner: fake });
});

async function ofFiles() {
  const { items } = await door.call("list_attention", {});
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
    since: (await door.call("get_proposal", { proposal_id: first })).proposed_at,
    sequence: null,
    number: first,
    team: "Ana",
    peer: null,
    text: "+2 \u22120 to the file",
    options: [],
    dismissed: false,
    snoozed_until: null,
  });
  await repository.write("docs/guide.md", `Read this first.\n\n${await repository.read("docs/guide.md")}`);
  await repository.git("commit", "-q", "-a", "-m", "Theirs");
  const rebasing = { proposal_id: first, decision: "rebase", team_id } as const;
  const { next_proposal_id } = await door.call("decide_proposal", rebasing);
  expect(await ofFiles()).toMatchObject([{ id: `proposal:file:${next_proposal_id}` }]);
  const base = (await door.call("read_source", { source_path })).source_sha;
  const accepting = { proposal_id: next_proposal_id ?? 0, decision: "accept", base, team_id } as const;
  await door.call("decide_proposal", accepting);
  expect(await ofFiles()).toEqual([]);
});

it("[ATT-9] one that was returned goes, its failed job waits until it is started anew or its topic is closed", async () => {
  const topic_id = await work.openTopic();
  const proposal_id = await work.propose(topic_id, "A week.");
  const returning = { proposal_id, decision: "return", remark: "Why?", team_id } as const;
  const { job_id } = await door.call("decide_proposal", returning);
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
  await door.call("reply_to_topic", { topic_id, close: "withdrawn", team_id });
  expect(await ofFiles()).toEqual([]);
});

it("[ATT-9] it is counted, in no session's list, and in no other mesh; what is put away of it comes back", async () => {
  const session = await createTestSession(door);
  await door.call("post_message", {
    session_id: session.sessionId,
    team_id: session.convener,
    content: { text: "Which?", kind: "ask" },
  });
  const [before, needing] = await Promise.all([
    door.call("list_attention", { team_id }),
    door.call("list_sessions", { needs: true }),
  ]);
  const topic_id = await work.openTopic();
  const id = `proposal:file:${await work.propose(topic_id, "A year.")}`;
  expect(await door.call("list_attention", { team_id })).toMatchObject({ total: before.total + 1 });
  expect((await door.call("list_sessions", { needs: true })).sessions).toHaveLength(needing.sessions.length);
  const { items } = await door.call("list_attention", { session: session.slug });
  expect(items.map(({ kind }) => kind)).toEqual(["ask"]);
  await door.call("create_mesh", { name: "elsewhere" });
  const elsewhere = await brokerDoors.rest(broker.url, { mesh: "elsewhere" });
  expect(await elsewhere.call("list_attention", {})).toMatchObject({ items: [], total: 0 });

  await door.call("dismiss_attention", { id, team_id });
  expect(await door.call("list_attention", { team_id })).toMatchObject({ total: before.total, dismissed: 1 });
  expect((await ofFiles()).map((item) => item.id)).toEqual([id]);
  await door.call("dismiss_attention", { id, undo: true, team_id });
  expect(await door.call("list_attention", { team_id })).toMatchObject({ total: before.total + 1 });
  await door.call("reply_to_topic", { topic_id, close: "resolved", team_id });
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
  await hears(() => door.call("decide_proposal", { proposal_id, decision: "reject", team_id }));
  await hears(() => work.failJob(topic_id));
  await hears(() => work.failJob(topic_id));
  await hears(() => door.call("reply_to_topic", { topic_id, close: "resolved", team_id }));
});
