import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, inject } from "vitest";
import type { Mesh } from "../../claude/kit/mesh.js";
import { endTree } from "../../claude/kit/processes.js";
import type { Cleanup } from "../../kit/test-database.js";
import { getDrivenClient, makeHome } from "./driven-clients.js";

/** The clients that are also ACP agents, with their commands and how they trust the test's folder. */
export const acpAgents = [
  { name: "gemini", command: ["gemini", "--acp"], env: { GEMINI_CLI_TRUST_WORKSPACE: "true" } },
  { name: "opencode", command: ["opencode", "acp"], env: {} },
] as const;

type AcpAgent = (typeof acpAgents)[number];

export interface LaunchedAcpAgent {
  readonly process: ChildProcess;
  /** Everything that the launch has printed so far. */
  readonly shown: string;
  /** Types a line, which prompts the agent. */
  enter(line: string): void;
}

interface AcpAgentOptions {
  readonly mesh: Mesh;
  readonly model: { readonly url: string };
  readonly team: string;
  readonly name: string;
}

/** Creates a machine for an ACP agent. Returns a function that launches the agent there and waits until it is ready. */
export async function prepareAcpAgent(
  agent: AcpAgent,
  { mesh, model, team, name }: AcpAgentOptions,
  cleanup: Cleanup,
): Promise<() => Promise<LaunchedAcpAgent>> {
  const client = getDrivenClient(agent.name);
  const machine = await makeHome(client, model.url, cleanup);
  const env = {
    ...{ PATH: `${join(inject("clientPrograms")[agent.name] ?? "", "..")}:${process.env["PATH"]}` },
    ...{ LANG: "C.UTF-8", HOME: machine.home, TMPDIR: join(machine.home, "tmp"), SHELL: "/bin/bash" },
    ...{ MERKLE_HOME: join(machine.home, ".merkle"), MERKLE_URL: mesh.url },
    ...{ ...client.env(machine), ...agent.env },
  };
  const where = ["--session", mesh.slug, "--team", team, "--name", name];
  const args = ["launch", "--client", "acp", ...where, "-y", "--", ...agent.command];
  return async () => {
    const launch = spawn(process.execPath, [inject("program"), ...args], { cwd: machine.project, env });
    cleanup(() => endTree(launch.pid ?? 0));
    let shown = "";
    for (const stream of [launch.stdout, launch.stderr])
      stream.on("data", (chunk: Buffer) => {
        shown += chunk.toString();
      });
    const ended = once(launch, "exit").then(() => Promise.reject(new Error(`The launch ended:\n${shown}`)));
    await Promise.race([expect.poll(() => shown).toContain("Type a line to prompt it."), ended]);
    ended.catch(() => undefined);
    return {
      process: launch,
      get shown() {
        return shown;
      },
      enter: (line) => void launch.stdin.write(`${line}\n`),
    };
  };
}
