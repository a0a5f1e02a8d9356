import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { prepareAgent, say } from "../../clients/kit/client-agent.js";
import { getDrivenClient } from "../../clients/kit/driven-clients.js";
import { scriptsApi } from "../../clients/kit/responses-api.js";
import type { Cleanup } from "../../kit/test-database.js";
import { startAgent } from "./agent.js";
import { type Exchange, recordExchanges } from "./count-turns.js";
import { makeMachine } from "./machine.js";
import type { Mesh } from "./mesh.js";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.js";
import { files, follow, type Step, type TeamScripts } from "./team-scripts.js";

/** Where a team works: the session, and the repository that each agent has a clone of. */
export interface Workplace {
  readonly scripts: TeamScripts;
  readonly mesh: Mesh;
  readonly repository: string;
  readonly cleanup: Cleanup;
}

export interface Member {
  readonly name: string;
  readonly model: ScriptedModel;
  readonly exchanges: readonly Exchange[];
  prompt(): Promise<void>;
}

export interface Worker extends Member {
  /** Ends the worker's work on its file. */
  finish(): void;
}

const run = promisify(execFile);

/** Creates an empty repository, and returns its folder. */
export async function makeRepository(cleanup: Cleanup): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-repository-"));
  cleanup(() => rm(folder, { recursive: true, force: true }));
  await run("git", ["init", "--bare", folder]);
  return folder;
}

export async function listBranches(repository: string): Promise<string[]> {
  const { stdout } = await run("git", ["for-each-ref", "--format=%(refname:short)"], { cwd: repository });
  return stdout.trim().split("\n");
}

/** Clones the repository into an agent's project folder. */
async function clone({ repository }: Workplace, project: string): Promise<void> {
  const person = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com"];
  await run("git", ["clone", ...person, repository, project]);
}

export async function startLead(workplace: Workplace): Promise<Member> {
  const prompt = "Lead the work on the greetings.";
  return startClaude(workplace, {
    team: "Alder",
    name: "lead",
    prompt,
    script: () => workplace.scripts.lead(prompt),
  });
}

export async function startClaudeWorker(workplace: Workplace, task: 1 | 2): Promise<Worker> {
  const { until, finish } = holdWork();
  const prompt = `Do task ${task}.`;
  const work = (project: string) => ({
    edit: { tool: "Write", input: { file_path: join(project, fileOf(task)), content: greeting }, until },
    commit: { tool: "Bash", input: { command: commit(task), description: "Commit" } },
  });
  const { team, name } = task === 1 ? { team: "Birch", name: "atlas" } : { team: "Cedar", name: "vega" };
  const script = (project: string) => workplace.scripts.worker(prompt, task, work(project));
  return { ...(await startClaude(workplace, { team, name, prompt, script })), finish };
}

interface ClaudeOptions {
  readonly team: string;
  readonly name: string;
  readonly prompt: string;
  readonly script: (project: string) => readonly Step[];
}

async function startClaude(workplace: Workplace, options: ClaudeOptions): Promise<Member> {
  const { team, name, prompt, script } = options;
  const { mesh, cleanup } = workplace;
  const machine = await makeMachine(cleanup);
  await clone(workplace, machine.project);
  const { exchanges, decide } = recordExchanges(follow(script(machine.project)));
  const agent = await startAgent({ mesh, team, name, machine, decide }, cleanup);
  return { name: `${team}/${name}`, model: agent.model, exchanges, prompt: () => agent.prompt(prompt) };
}

export async function startCodexWorker(workplace: Workplace, task: 3): Promise<Worker> {
  const { until, finish } = holdWork();
  const prompt = `Do task ${task}.`;
  const patch = `*** Begin Patch\n*** Add File: ${fileOf(task)}\n+${greeting}\n*** End Patch`;
  const work = {
    edit: { tool: "apply_patch", input: patch, until },
    commit: { tool: "exec_command", input: { cmd: commit(task) } },
  };
  const { mesh, scripts, cleanup } = workplace;
  const { exchanges, decide } = recordExchanges(follow(scripts.worker(prompt, task, work)));
  const model = await startScriptedModel(cleanup, { decide, dialect: scriptsApi });
  const args = ["-m", "gpt-6-sol", "--dangerously-bypass-approvals-and-sandbox"];
  const where = { mesh, model, team: "Dune", name: "rigel", args };
  const agent = await prepareAgent(getDrivenClient("codex"), where, cleanup);
  await clone(workplace, agent.machine.project);
  const terminal = await agent.launch();
  return { name: "Dune/rigel", model, exchanges, finish, prompt: () => say(terminal, prompt, model) };
}

function holdWork() {
  let finish = () => {};
  const until = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { until, finish: () => finish() };
}

const fileOf = (task: 1 | 2 | 3) => files[task - 1] ?? "";
const greeting = 'console.log("Hello");';
const commit = (task: number) =>
  `git add -A && git commit -m "Greet ${task}" && git push origin HEAD:task-${task}`;
