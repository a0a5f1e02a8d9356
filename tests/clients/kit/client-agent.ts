import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import type { Mesh } from "../../claude/kit/mesh.js";
import { isRunning } from "../../claude/kit/processes.js";
import { openTerminal, type Terminal } from "../../claude/kit/terminal.js";
import type { Cleanup } from "../../kit/test-database.js";
import { type DrivenClient, makeHome, pressAll, untilReady, untilShown } from "./driven-clients.js";

interface AgentOptions {
  readonly mesh: Mesh;
  readonly model: { readonly url: string };
  readonly team: string;
  readonly name: string;
  /** Arguments for the client. Default: its usual arguments. */
  readonly args?: readonly string[];
  /** Further flags of `merkle launch`. */
  readonly launchFlags?: readonly string[];
}

/** Creates a machine for an agent that uses this client. Returns a function that launches the agent there. */
export async function prepareAgent(
  client: DrivenClient,
  { mesh, model, team, name, args = client.args, launchFlags = [] }: AgentOptions,
  cleanup: Cleanup,
) {
  const machine = await makeHome(client, model.url, cleanup);
  const merkleHome = join(machine.home, ".merkle");
  const program = inject("clientPrograms")[client.name] ?? "";
  const env = {
    ...{ PATH: `${join(program, "..")}:${process.env["PATH"]}`, LANG: "C.UTF-8" },
    ...{ TERM: "xterm-256color", HOME: machine.home, TMPDIR: join(machine.home, "tmp"), SHELL: "/bin/bash" },
    ...{ MERKLE_HOME: merkleHome, MERKLE_URL: mesh.url, ...client.env(machine) },
  };
  const merkle = (...args: string[]) =>
    promisify(execFile)(process.execPath, [inject("program"), ...args], { cwd: machine.project, env });
  const isConnected = async () => (await mesh.findPeer(team, name))?.connected === true;

  return {
    ...{ machine, merkleHome, merkle },
    /** Launches the agent. @param conversation - id of a conversation to resume, with the peer that belongs to it */
    async launch(conversation?: string): Promise<Terminal> {
      const where = ["--session", mesh.slug, "--team", team, "--name", name];
      const command = [
        ...[process.execPath, inject("program"), "launch", "--client", client.name, "-y", ...launchFlags],
        ...(conversation === undefined ? where : []),
        ...["--", ...args, ...(conversation === undefined ? [] : client.resume(conversation))],
      ];
      const terminal = await openTerminal({ command, cwd: machine.project, env }, cleanup);
      await untilReady(client, terminal, isConnected);
      return terminal;
    },
    /** Returns the peer that is stored on the agent's machine. */
    async held() {
      const names = (await readdir(join(merkleHome, "teams"))).filter((each) => each.endsWith(".json"));
      const all = await Promise.all(names.map((each) => readFile(join(merkleHome, "teams", each), "utf8")));
      return all.map((text) => JSON.parse(text)).find((each) => each.peer_name === name);
    },
  };
}

/**
 * Types a prompt and sends it. A slow client may mistake Enter for pasted text, or may not accept keys yet, so Enter
 * is pressed repeatedly until the model gets a request.
 */
export async function say(
  terminal: Terminal,
  text: string,
  model: { readonly requests: readonly unknown[] },
): Promise<void> {
  const asked = model.requests.length;
  await terminal.press(text);
  await untilShown(terminal, `"${text}" never reached the model`, async () => {
    await pressAll(terminal, ["Enter"]);
    return model.requests.length > asked;
  });
}

export async function quit(client: DrivenClient, terminal: Terminal): Promise<void> {
  const [first = "", ...last] = client.quit;
  await terminal.press(first);
  await untilShown(terminal, `${client.name} did not end`, async () => {
    // Some clients exit at the first key, so a failure to press the second is ignored.
    await pressAll(terminal, last).catch(() => undefined);
    return !(await isRunning(terminal.pid));
  });
}
