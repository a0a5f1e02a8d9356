import { expect, it, onTestFinished } from "vitest";
import { makePerson } from "../../kit/persons.js";
import { startTestBroker } from "../../kit/test-broker.js";
import { brokerTransports } from "../../kit/transports.js";
import { stageRepository } from "../../sources/staged-repository.js";
import { createSkilledModel, makeJobAgent, waitForJob } from "../kit/job-agent.js";

const path = "docs/What it's for.md";
const source_path = `handbook/${path}`;
const filler = "Nobody has asked about this yet.\n\n".repeat(1_000);
const text = `# Tokens\n\nTokens live for an hour.\n\n${filler}They rotate.\n\nThat is all.\n`;

/**
 * Starts a broker that has a root folder and whose jobs use the given scripted model. The root contains a committed
 * file that is longer than one page.
 */
async function stage(mind: Parameters<typeof makeJobAgent>[1]) {
  const { agent, model } = await makeJobAgent(onTestFinished, mind);
  const repository = await stageRepository();
  await repository.write(path, text);
  await repository.git("add", "-A");
  await repository.git("commit", "-q", "-m", "Write down what it is for");
  const author = { name: "Docs agent", email: "agent@example.com" };
  const broker = await startTestBroker({
    agent: { ...agent, author, roots: { handbook: repository.folder } },
  });
  const transport = await brokerTransports.rest(broker.url);
  const { person_id } = await makePerson(transport, "Ana");
  const source_sha = await repository.git("rev-parse", `HEAD:${path}`);
  return { transport, model, repository, ana: { team_id: person_id }, source_sha };
}

it("[AGENT-7] [SOURCE-7] a comment on a file goes from the click to a commit: every page is read, passages are proposed, a person accepts", async () => {
  const kit = await stage(
    createSkilledModel(([topic, first, second, others, ...rest]) => {
      if (!topic) return { verb: "get-topic --id 1" };
      if (!first) return { verb: "read-source" };
      const sha = first["sha"];
      if (!second) return { verb: `read-source --sha ${sha} --offset ${first["next"]}` };
      if (!others) return { verb: "list-open-topics" };
      if (rest.length > 0) return null;
      const call = `insert-proposal --topic-id 1 --base-sha ${sha} --note "Gives the reason." --edits --braces`;
      const edit =
        '<<<<<<< OLD\nTokens live for an hour.\n======= NEW\nTokens live for ⦃"hours": 1⦄.\n>>>>>>> END';
      return { verb: call, input: edit };
    }),
  );
  const { transport, ana, model, repository, source_sha } = kit;
  const opening = { source_path, source_sha, quote: "an hour", text: "How long exactly?", ...ana };
  const { topic_id } = await transport.call("open_topic", opening);
  const another = { source_path, source_sha, quote: "They rotate", text: "How often?", ...ana };
  await transport.call("open_topic", another);

  const { job_id } = await transport.call("start_job", {
    kind: "incorporate",
    source_path,
    topic_id,
    ...ana,
  });
  const job = await waitForJob(transport, job_id);
  expect(job, model.requests.at(-1)?.news).toMatchObject({
    status: "succeeded",
    source_path,
    session_id: null,
    result: { kind: "proposal" },
  });
  for (const shown of ["How long exactly?", "That is all.", "How often?"])
    expect(model.conversation).toContain(shown);

  const proposal_id = job.result?.id ?? 0;
  const proposal = await transport.call("get_proposal", { proposal_id });
  expect(proposal).toMatchObject({ status: "open", note: "Gives the reason.", stale: false, source_path });
  expect(proposal.hunks).toHaveLength(1);
  expect(await repository.git("log", "-1", "--format=%an")).toBe("Owner");

  const accepting = { proposal_id, decision: "accept", base: source_sha, ...ana } as const;
  const { commit } = await transport.call("decide_proposal", accepting);
  expect(await repository.git("log", "-1", "--format=%H|%an <%ae>|%cn|%s|%(trailers:separator=%x2C)")).toBe(
    `${commit}|Docs agent <agent@example.com>|Docs agent|Incorporate topic ${topic_id}: How long exactly?|Approved-by: Ana,Merkle-Topic: ${topic_id},Merkle-Proposal: ${proposal_id}`,
  );
  const rewritten = text.replace("an hour", '{"hours": 1}');
  expect(await repository.read(path)).toBe(rewritten);
  expect(`${await repository.git("show", `HEAD:${path}`)}\n`).toBe(rewritten);
  expect(await repository.git("status", "--porcelain")).toBe("");
  expect(await transport.call("get_topic", { topic_id })).toMatchObject({ status: "closed" });
  const { topics } = await transport.call("list_topics", { source_path, status: "open" });
  expect(topics).toMatchObject([{ place: { found: expect.stringMatching(/^(exact|moved)$/) } }]);
});

it("[AGENT-7] [SOURCE-13] a file is read as a persona to its end, and the reading is kept for the text that was read", async () => {
  const kit = await stage(
    createSkilledModel(([persona, first, second, ...rest]) => {
      if (!persona) return { verb: "get-persona" };
      if (!first) return { verb: "read-source" };
      const sha = first["sha"];
      if (!second) return { verb: `read-source --sha ${sha} --offset ${first["next"]}` };
      if (rest.length > 0) return null;
      const read = `--persona-sha ${persona["hash"]} --source-sha ${sha}`;
      return { verb: `put-perspective ${read}`, input: '"They rotate" says not how often.' };
    }),
  );
  const { transport, ana, model, repository, source_sha } = kit;
  const asked = { kind: "perspective", source_path, persona_name: "Sceptic", ...ana } as const;
  const { job_id } = await transport.call("start_job", asked);
  expect(await waitForJob(transport, job_id), model.requests.at(-1)?.news).toMatchObject({
    status: "succeeded",
    result: { kind: "perspective" },
  });
  for (const shown of ["That is all."]) expect(model.conversation).toContain(shown);
  const read = () => transport.call("get_source_perspective", { source_path, persona_name: "Sceptic" });
  expect(await read()).toMatchObject({
    content: '"They rotate" says not how often.\n',
    source_sha,
    stale: false,
    job_id,
  });
  await repository.write(path, "# Tokens\n\nThey are gone.\n");
  expect(await read()).toMatchObject({ stale: true, stale_because: ["source"] });
});
