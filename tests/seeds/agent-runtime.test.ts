import { beforeAll, describe, expect, it } from "vitest";
import { performForAgent } from "../../apps/cli/src/features/jobs/agent/run-for-agent.js";
import { toPrompt } from "../../apps/cli/src/features/jobs/runner/claude-runner.js";
import { createCleanup } from "../kit/cleanup.js";
import { createFakeRunner, type FakeRun } from "../kit/fake-runner.js";
import { makePerson } from "../kit/persons.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { guide, type StagedRepository, stageRepository } from "../sources/staged-repository.js";

/**
 * Runs the examples from the description of an agent runtime (docs/deviations.md), with a file in a Git repository. The
 * description's `wb-agent` is `merkle agent`, and its skills have names that begin with `merkle-`.
 */

const source_path = "docs/docs/guide.md";
const fake = createFakeRunner();
const cleanup = createCleanup();
let broker: TestBroker;
let rest: TransportClient;
let repository: StagedRepository;
let owner: { team_id: string };

beforeAll(async () => {
  repository = await stageRepository(cleanup);
  const author = { name: "Orcha Agent", email: "agent@orcha.local" };
  const agent = { ...fake.agent, roots: { docs: repository.folder }, author };
  broker = await startTestBroker({ agent }, cleanup);
  rest = await brokerTransports.rest(broker.url);
  owner = { team_id: (await makePerson(rest, "Ana")).person_id };
});

/** Sends an HTTP request as a dashboard page does. */
async function request(method: string, path: string, body?: object) {
  const response = await fetch(`${broker.url}${path}`, {
    method,
    headers: { "content-type": "application/json", "x-team-id": owner.team_id },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: Object(await response.json()) };
}

/** Runs one of the agent's command lines with the given text on stdin. Returns the parsed output. */
async function runLine({ job }: FakeRun, line: string, input = ""): Promise<Record<string, unknown>> {
  const env = {
    MERKLE_URL: job.broker_url,
    MERKLE_JOB: String(job.job_id),
    MERKLE_JOB_TOKEN: job.credential,
  };
  const { signal } = new AbortController();
  return Object(await performForAgent(line.split(" "), { env, signal, readStdin: async () => input }));
}

async function openTopic(text: string): Promise<{ topic_id: number; source_sha: string }> {
  const { source_sha } = await rest.call("read_source", { source_path });
  const { topic_id } = await rest.call("open_topic", { source_path, source_sha, text, ...owner });
  return { topic_id, source_sha };
}

describe("incorporate", () => {
  it("[JOB-5] [JOB-2] [RUNNER-1] [AGENT-3] is started, prompted, done by its lines, watched, and committed once a person accepts", async () => {
    const { topic_id, source_sha } = await openTopic("How long do tokens live?");
    const other = await openTopic("Do they rotate?");
    const job = { kind: "incorporate", source_path, topic_id };
    const { status, body } = await request("POST", "/api/agent/jobs", job);
    expect({ status, body }).toMatchObject({ status: 200, body: { job_id: expect.any(Number) } });
    const { job_id } = body;
    expect(await request("POST", "/api/agent/jobs", job)).toMatchObject({ status: 409 });

    const run = await fake.next();
    const command = "/opt/merkle/bin/merkle agent";
    expect(toPrompt(run.job, command).split("\n")).toEqual(
      expect.arrayContaining([
        "Use the merkle-incorporate skill.",
        `Job ID: ${job_id}`,
        `Topic ID: ${topic_id}`,
        `Source path: ${source_path}`,
        `Base source SHA: ${source_sha}`,
        `Agent command: ${command}`,
        expect.stringMatching(/^When done, exit 0\. On any unrecoverable error, exit non-zero/),
      ]),
    );
    expect(await runLine(run, `get-topic --id=${topic_id}`)).toMatchObject({
      topic: { topic_id },
      messages: [{ text: "How long do tokens live?" }],
    });
    expect(await runLine(run, `list-open-topics --source-path=${source_path}`)).toMatchObject({
      topics: expect.arrayContaining([expect.objectContaining({ topic_id: other.topic_id })]),
    });
    const rewritten = guide.replace("an hour", "a day");
    const insert = `insert-proposal --topic-id=${topic_id} --base-sha=${source_sha}`;
    const { proposal_id } = await runLine(run, insert, rewritten);
    expect(proposal_id).toEqual(expect.any(Number));
    run.end({ exit_code: 0 });

    const read = async () => (await request("GET", `/api/agent/jobs/${job_id}`)).body;
    await expect.poll(read).toMatchObject({
      job_id,
      kind: "incorporate",
      source_path,
      topic_id,
      persona_name: null,
      status: "succeeded",
      started_at: expect.any(String),
      exit_code: 0,
      error_tail: null,
    });
    expect((await request("GET", `/api/agent/jobs?source_path=${source_path}`)).body).toMatchObject({
      jobs: expect.arrayContaining([expect.objectContaining({ job_id })]),
    });

    const accepting = { proposal_id: Number(proposal_id), decision: "accept", base: source_sha } as const;
    await rest.call("decide_proposal", { ...accepting, ...owner });
    expect(await repository.read("docs/guide.md")).toBe(rewritten);
    expect(await repository.git("log", "-1", "--format=%an <%ae>")).toBe("Orcha Agent <agent@orcha.local>");
    expect(await repository.git("log", "-1", "--format=%(trailers:only)")).toContain("Approved-by: Ana");
  });

  it("[JOB-9] fails with what the description says where the agent fails, or proposes nothing", async () => {
    const { topic_id } = await openTopic("More.");
    for (const [result, error_tail] of [
      [{ exit_code: 3, error_tail: "boom" }, "boom"],
      [{ exit_code: 0 }, "agent exited 0 but produced no proposal"],
      [
        { exit_code: null, error: { reason: "unreachable", message: "spawn claude ENOENT" } },
        "agent unreachable: spawn claude ENOENT",
      ],
    ] as const) {
      const { body } = await request("POST", "/api/agent/jobs", {
        kind: "incorporate",
        source_path,
        topic_id,
      });
      (await fake.next()).end(result);
      const read = async () => (await request("GET", `/api/agent/jobs/${body.job_id}`)).body;
      await expect.poll(read).toMatchObject({ status: "failed", error_tail });
    }
  });
});

describe("perspective", () => {
  it("[JOB-5] [PERSPECTIVE-1] is prompted with the persona, and stored by its lines", async () => {
    const persona_name = "Sceptic";
    const job = { kind: "perspective", source_path, persona_name };
    expect((await request("POST", "/api/agent/jobs", job)).status).toBe(200);
    const run = await fake.next();
    const { source_sha } = await rest.call("read_source", { source_path });
    const persona = await runLine(run, `get-persona --source-path=${source_path} --name=${persona_name}`);
    expect(toPrompt(run.job, "merkle agent").split("\n")).toEqual(
      expect.arrayContaining([
        "Use the merkle-perspective skill.",
        `Source path: ${source_path}`,
        `Persona name: ${persona_name}`,
        `Source SHA: ${source_sha}`,
        `Persona SHA: ${persona["hash"]}`,
      ]),
    );
    const line = `put-perspective --source-path=${source_path} --persona=${persona_name} --source-sha=${source_sha} --persona-sha=${persona["hash"]}`;
    await runLine(run, line, "It does not follow.");
    run.end({ exit_code: 0 });
    const read = () => rest.call("get_source_perspective", { source_path, persona_name, ...owner });
    expect(await read()).toMatchObject({ content: "It does not follow." });
  });
});
