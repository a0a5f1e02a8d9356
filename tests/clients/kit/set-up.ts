import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject, onTestFinished } from "vitest";
import { type Mesh, startMesh } from "../../claude/kit/mesh.js";
import { isRunning } from "../../claude/kit/processes.js";
import { openTerminal, type Terminal } from "../../claude/kit/terminal.js";
import { type DrivenClient, makeHome, pressAll, untilReady, untilShown } from "./driven-clients.js";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.js";

const programs = inject("clientPrograms");

interface Place {
  readonly team: string;
  readonly name: string;
}

const atlas: Place = { team: "Birch", name: "atlas" };

/** A user's machine with the client, a model for it, and a broker: its own, or one that others are at, too. */
export async function setUp(client: DrivenClient, at?: Mesh) {
  const mesh = at ?? (await startMesh(onTestFinished));
  const model = await startScriptedModel(onTestFinished);
  const machine = await makeHome(client, model.url, onTestFinished);
  const merkleHome = join(machine.home, ".merkle");
  const env = {
    ...{ PATH: `${join(programs[client.name] ?? "", "..")}:${process.env["PATH"]}`, LANG: "C.UTF-8" },
    ...{ TERM: "xterm-256color", HOME: machine.home, TMPDIR: join(machine.home, "tmp"), SHELL: "/bin/bash" },
    ...{ MERKLE_HOME: merkleHome, MERKLE_URL: mesh.url, ...client.env(machine) },
  };
  const merkle = (...args: string[]) =>
    promisify(execFile)(process.execPath, [inject("program"), ...args], { cwd: machine.project, env });

  async function start(command: readonly string[], peer: Place): Promise<Terminal> {
    const terminal = await openTerminal({ command, cwd: machine.project, env }, onTestFinished);
    await untilReady(
      client,
      terminal,
      async () => (await mesh.findPeer(peer.team, peer.name))?.connected === true,
    );
    return terminal;
  }

  return {
    ...{ mesh, model, machine, merkleHome, merkle },
    launch: (where: readonly string[], args: readonly string[], peer = atlas) =>
      start(
        [
          process.execPath,
          inject("program"),
          "launch",
          "--client",
          client.name,
          ...where,
          "-y",
          "--",
          ...args,
        ],
        peer,
      ),
    async held() {
      const names = (await readdir(join(merkleHome, "teams"))).filter((name) => name.endsWith(".json"));
      const all = await Promise.all(names.map((name) => readFile(join(merkleHome, "teams", name), "utf8")));
      return all.map((text) => JSON.parse(text)).find((each) => each.peer_name === "atlas");
    },
  };
}

/**
 * Types a prompt and sends it. A client that is slow takes an end of line for a part of what was typed before it, or is not
 * there yet to take it: it is pressed until the model is asked.
 */
export async function say(terminal: Terminal, text: string, model: ScriptedModel): Promise<void> {
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
    // One that ends at the first key takes no second.
    await pressAll(terminal, last).catch(() => undefined);
    return !(await isRunning(terminal.pid));
  });
}
