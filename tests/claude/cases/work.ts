import { expect, it, onTestFinished } from "vitest";
import { makePerson } from "../../kit/persons.js";
import { createTestSession } from "../../kit/session.js";
import { itOnOneBroker, startTestBroker } from "../../kit/test-broker.js";
import { brokerTransports } from "../../kit/transports.js";
import { createSkilledModel, makeJobAgent, waitForJob } from "../kit/job-agent.js";
import type { Answer } from "../kit/obey.js";

/** Starts a broker whose jobs use the given scripted model, and creates a session with a document. */
async function stage(
  ...agentArgs: Parameters<typeof makeJobAgent> extends [unknown, ...infer Rest] ? Rest : never
) {
  const { agent, model } = await makeJobAgent(onTestFinished, ...agentArgs);
  const broker = await startTestBroker({ agent });
  const transport = await brokerTransports.rest(broker.url);
  const session = await createTestSession(transport);
  const at = { session_id: session.sessionId, team_id: session.convener };
  await transport.call("update_session_doc", {
    ...at,
    content: "# Plan\n\nKeep v1 tokens.\n\nMove the issuer.\n",
    expected_version: 0,
  });
  const { person_id } = await makePerson(transport, "Ana");
  return {
    broker,
    transport,
    session,
    model,
    at,
    ana: { session_id: session.sessionId, team_id: person_id },
  };
}

it("[AGENT-7] a perspective goes from the click to what people read: persona and document are read, and the reading is kept", async () => {
  const kit = await stage(
    createSkilledModel(([persona, doc, ...rest]) => {
      if (!persona) return { verb: "get-persona" };
      if (!doc) return { verb: "read-doc" };
      if (rest.length > 0) return null;
      const read = `--persona-sha ${persona["hash"]} --source-version ${doc["version"]}`;
      return { verb: `put-perspective ${read}`, input: '"Keep v1 tokens" says not for how long.' };
    }),
  );
  const { transport, ana, at } = kit;
  const { job_id } = await transport.call("start_job", {
    kind: "perspective",
    persona_name: "Sceptic",
    ...ana,
  });
  expect(await waitForJob(kit.transport, job_id)).toMatchObject({
    status: "succeeded",
    result: { kind: "perspective" },
  });
  const read = await transport.call("get_perspective", {
    session_id: at.session_id,
    persona_name: "Sceptic",
  });
  expect(read).toMatchObject({
    content: '"Keep v1 tokens" says not for how long.\n',
    source_version: 1,
    stale: false,
    job_id,
  });
  expect(kit.model.conversation).toContain("of the persona that your job reads as");
});

it("[AGENT-7] [AGENT-9] a topic goes from the click to the document's next version: all of it is read, passages are proposed, a person accepts", async () => {
  const kit = await stage(
    createSkilledModel(([topic, doc, others, ...rest]) => {
      if (!topic) return { verb: "get-topic --id 1" };
      if (!doc) return { verb: "read-doc" };
      if (!others) return { verb: "list-open-topics" };
      if (rest.length > 0) return null;
      const call = `insert-proposal --topic-id 1 --base-version ${doc["version"]} --note "Gives it a date." --edits --braces`;
      const edit = '<<<<<<< OLD\nKeep v1 tokens.\n======= NEW\nKeep v1: ⦃"until": "1 June"⦄.\n>>>>>>> END';
      return { verb: call, input: edit };
    }),
  );
  const { transport, ana, at } = kit;
  const opened = await transport.call("open_topic", {
    ...at,
    version: 1,
    quote: "Keep v1 tokens",
    text: "Until when?",
  });
  const { job_id } = await transport.call("start_job", {
    kind: "incorporate",
    topic_id: opened.topic_id,
    ...ana,
  });
  const job = await waitForJob(kit.transport, job_id);
  expect(job, kit.model.requests.at(-1)?.news).toMatchObject({
    status: "succeeded",
    result: { kind: "proposal" },
  });
  const proposal_id = job.result?.id ?? 0;
  const proposal = await transport.call("get_proposal", { proposal_id });
  expect(proposal).toMatchObject({
    status: "open",
    note: "Gives it a date.",
    proposed_by: null,
    base_version: 1,
  });
  const decided = await transport.call("decide_proposal", {
    proposal_id,
    decision: "accept",
    base: 1,
    team_id: ana.team_id,
  });
  expect(decided).toMatchObject({ status: "accepted", version: 2 });
  expect(await transport.call("read_session_doc", { session_id: at.session_id })).toMatchObject({
    version: 2,
    content: '# Plan\n\nKeep v1: {"until": "1 June"}.\n\nMove the issuer.\n',
  });
  expect(await transport.call("get_topic", { topic_id: opened.topic_id })).toMatchObject({
    status: "closed",
  });
});

it("[AGENT-7] a conclusion goes from the click to the closed session: every page is read, a draft is proposed, a person concludes with it", async () => {
  const kit = await stage(
    createSkilledModel((answers) => {
      const [doc, ...rest] = answers;
      if (!doc) return { verb: "read-doc" };
      const last = rest.at(-1);
      if (!last) return { verb: "read-feed" };
      if ("proposal_id" in last) return null;
      if (last["next"] !== null) return { verb: `read-feed --since ${last["next"]}` };
      return { verb: "conclude --base-version 1", input: `Read to #${last["last_sequence"]}.` };
    }),
  );
  const { transport, ana, at, session } = kit;
  for (let n = 0; n < 12; n += 1) await session.post(at.team_id, `${n} ${"long ".repeat(1_400)}`);
  const { job_id } = await transport.call("start_job", { kind: "conclude", ...ana });
  const job = await waitForJob(kit.transport, job_id);
  expect(job).toMatchObject({ status: "succeeded", result: { kind: "proposal" } });
  expect(kit.model.requests.filter(({ news }) => news.includes('"last_sequence"')).length).toBeGreaterThan(2);
  const proposal_id = job.result?.id ?? 0;
  await transport.call("decide_proposal", { proposal_id, decision: "accept", base: 1, team_id: ana.team_id });
  expect(await transport.call("get_session", { session_id: at.session_id })).toMatchObject({
    status: "closed",
  });
  const { content } = await transport.call("read_session_doc", { session_id: at.session_id });
  expect(content).toMatch(/## Conclusion\n\nRead to #12\./);
});

itOnOneBroker("the nodes of a test share one home of agents, and each ends at its start what is left there")(
  "[JOB-9] each way in which the real client fails is told as what it is",
  async () => {
    let answer: Answer = { text: "There is nothing to write." };
    const kit = await stage(() => answer, { timeoutsMs: { perspective: 4_000 } });
    const { broker, transport, ana, model } = kit;
    const conclude = async () => (await transport.call("start_job", { kind: "conclude", ...ana })).job_id;

    expect(await waitForJob(kit.transport, await conclude())).toMatchObject({
      status: "failed",
      exit_code: 0,
      error_tail: "agent exited 0 but produced no proposal",
      message: "Agent finished without producing a proposal. Retry.",
    });

    answer = { refusal: "the model is not to be had" };
    expect(await waitForJob(kit.transport, await conclude())).toMatchObject({
      status: "failed",
      exit_code: 1,
      error_tail: expect.stringContaining("the model is not to be had"),
      message: "Agent failed with exit code 1. See its log.",
    });

    const late = model.delayReply("Use the merkle-perspective skill");
    const asked = { kind: "perspective", persona_name: "Sceptic", ...ana } as const;
    const { job_id: tooLong } = await transport.call("start_job", asked);
    expect(await waitForJob(kit.transport, tooLong)).toMatchObject({
      status: "timed_out",
      message: expect.stringMatching(/^Agent timed out after \d+s\.$/),
    });
    late.release();

    const running = model.delayReply("Use the merkle-conclude skill");
    const job_id = await conclude();
    await running.reached;
    await broker.restart();
    running.release();
    expect(await transport.call("get_job", { job_id })).toMatchObject({
      status: "failed",
      error_tail: "server restarted while job in flight",
      message: "Agent failed: server restarted.",
    });
  },
);

it("[JOB-9] a missing client is told as that, and hinders nothing else", async () => {
  const kit = await stage(() => ({ text: "" }), { claudeBin: "no-such-claude" });
  const { job_id } = await kit.transport.call("start_job", { kind: "conclude", ...kit.ana });
  expect(await waitForJob(kit.transport, job_id)).toMatchObject({
    status: "failed",
    exit_code: null,
    error_tail: 'agent unreachable: no program "no-such-claude" can be run',
    message: "Agent is unreachable. Check that claude is installed.",
  });
});
