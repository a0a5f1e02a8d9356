import { setTimeout as delay } from "node:timers/promises";
import type { OperationName, OutputOf } from "@merkle/wire";
import { expect, onTestFinished } from "vitest";
import { makePerson } from "../../kit/persons.js";
import { brokerTransports } from "../../kit/transports.js";
import { countCost, type Exchange } from "./count-turns.js";
import { type Mesh, startMesh } from "./mesh.js";
import { listBranches, makeRepository, startClaudeWorker, startCodexWorker, startLead } from "./team.js";
import { answer, type TeamScripts } from "./team-scripts.js";

/** The lead's launch creates the session, so the lead is its convener. */
const session_id = "greetings";

/** The pause between two events of the session, which are minutes apart in reality. */
const quietMs = 20_000;

/**
 * Runs a session: a lead plans and creates three tasks, three workers do them, a human answers the lead's question,
 * and the lead concludes. Prints what it cost, and returns the workers' exchanges.
 */
export async function runTeam(scripts: TeamScripts): Promise<readonly (readonly Exchange[])[]> {
  const startedAt = performance.now();
  const broker = await startMesh(onTestFinished);
  const transport = await brokerTransports.rest(broker.url);
  onTestFinished(() => transport.close());
  // Replies are not checked, because an earlier version's replies have other fields.
  const call: Call = async (name, input) =>
    Object(await transport.callRaw(name, { session_id, ...input })) as never;
  const mesh = inSession(broker, call);
  const ana = await makePerson(transport, "Ana");
  const repository = await makeRepository(onTestFinished);
  const workplace = { scripts, mesh, repository, cleanup: onTestFinished };

  const lead = await startLead(workplace);
  await lead.prompt();
  await lead.model.rests();
  const workers = await Promise.all([
    startClaudeWorker(workplace, 1),
    startClaudeWorker(workplace, 2),
    startCodexWorker(workplace, 3),
  ]);
  const members = [lead, ...workers];
  for (const worker of workers) await worker.prompt();
  const claims = async () => (await call("list_claims", {})).claims.length;
  await expect.poll(claims).toBe(workers.length);

  await delay(quietMs);
  const { messages } = await call("get_history", {});
  const ask = messages.find(({ content }) => Object(content).kind === "ask");
  const content = { text: answer, answer: "English" };
  await call("post_message", { team_id: ana.person_id, reply_to: ask?.sequence, content });
  for (const [index, worker] of workers.entries()) {
    await delay(quietMs);
    worker.finish();
    await expect.poll(claims).toBe(workers.length - 1 - index);
  }
  for (const { model } of workers) await model.waitFor("session_concluded");
  for (const { model } of members) await model.rests();

  const wallS = Math.round((performance.now() - startedAt) / 1_000);
  const whole = { name: `all, in ${wallS} s`, exchanges: members.flatMap(({ exchanges }) => exchanges) };
  console.table([...members, whole].map(({ name, exchanges }) => ({ name, ...countCost(exchanges) })));

  const { tasks } = await call("list_tasks", { state: "done" });
  expect(Object.fromEntries(tasks.map(({ task, holder }) => [task, holder]))).toEqual(
    Object.fromEntries(workers.map(({ name }, index) => [index + 1, name])),
  );
  const document = await call("read_session_doc", {});
  expect(document.content).toContain(`- ${answer}`);
  expect(document.content).toContain("## Conclusion");
  expect(await listBranches(repository)).toEqual(["task-1", "task-2", "task-3"]);
  return workers.map(({ exchanges }) => exchanges);
}

type Call = <Name extends OperationName>(name: Name, input: object) => Promise<OutputOf<Name>>;

function inSession(mesh: Mesh, call: Call): Mesh {
  return {
    ...{ ...mesh, slug: session_id },
    async findPeer(team, name) {
      const { peers } = await call("list_peers", {});
      return peers.find((peer) => peer.team === team && peer.name === name);
    },
  };
}
