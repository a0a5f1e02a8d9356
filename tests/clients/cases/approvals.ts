import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Approval } from "@merkle/wire";
import { hashApproval, toDeviceId } from "@merkle/wire/identity";
import { expect, inject, it, onTestFinished } from "vitest";
import { type Mesh, startMesh } from "../../claude/kit/mesh.js";
import { killProcess, listTree } from "../../claude/kit/processes.js";
import { makePerson } from "../../kit/persons.js";
import { brokerTransports } from "../../kit/transports.js";
import { prepareAgent, say } from "../kit/client-agent.js";
import { type DrivenClient, getDrivenClient, pressAll, untilShown } from "../kit/driven-clients.js";
import { callOnce, startScriptedModel } from "../kit/scripted-model.js";

const sha256 = (bytes: Uint8Array) => hash("sha256", bytes, "buffer");

/** Creates the person who answers from a phone. */
async function startPhone(mesh: Mesh) {
  const rest = await brokerTransports.rest(mesh.url);
  onTestFinished(() => rest.close());
  const { person_id: credential } = await makePerson(rest, "Ana");
  const list = () => rest.call("list_approvals", { team_id: credential });
  const waiting = async () => (await list()).waiting;
  return {
    device: toDeviceId(credential, sha256) ?? "",
    waiting,
    /** Returns the approval that ended last. */
    ended: async () => (await list()).ended[0],
    /** Resolves with the only approval that waits. */
    async shown(): Promise<Approval> {
      await expect.poll(async () => (await waiting()).length).toBe(1);
      const [approval] = (await waiting()) as [Approval];
      return approval;
    },
    answer: ({ approval, ...shown }: Approval, decision: "allow" | "deny", more: object = {}) =>
      rest.call("answer_approval", {
        ...{ approval, decision, hash: hashApproval(shown, sha256), team_id: credential, ...more },
      }),
  };
}

const [opencode, codex] = [getDrivenClient("opencode"), getDrivenClient("codex")];

/** The clients, which ask before each command. */
const cases: readonly {
  readonly client: DrivenClient;
  readonly tool: string;
  readonly prompt: string;
  toCall(command: string): object;
}[] = [
  {
    client: {
      ...opencode,
      env: (machine) => ({
        ...opencode.env(machine),
        OPENCODE_CONFIG_CONTENT: JSON.stringify({ permission: { bash: "ask" } }),
      }),
    },
    tool: "bash",
    prompt: "Permission required",
    toCall: (command) => ({ command, description: "check" }),
  },
  {
    client: {
      ...codex,
      files: (machine) => ({
        ...codex.files(machine),
        ".codex/rules/default.rules": 'prefix_rule(pattern = ["touch"], decision = "prompt")\n',
      }),
    },
    tool: "exec_command",
    prompt: "Would you like to run",
    toCall: (cmd) => ({ cmd }),
  },
];

const installed = cases.filter(({ client }) => inject("clientPrograms")[client.name] !== undefined);

it.each(installed)(
  "[APPROVE-19] [APPROVE-20] [APPROVE-15] $client.name asks for a command at its terminal and on its person's phone, and the first answer decides",
  async ({ client, tool, prompt, toCall }) => {
    const mesh = await startMesh(onTestFinished);
    const model = await startScriptedModel(onTestFinished);
    const phone = await startPhone(mesh);
    const where = { mesh, model, team: "Birch", name: "atlas", launchFlags: ["--approvals"] };
    const { machine, merkle, launch } = await prepareAgent(client, where, onTestFinished);
    await merkle("config", "set", "approvers", phone.device, "--local");
    const terminal = await launch();
    const run = (command: string) => say(terminal, callOnce(tool, toCall(command)), model);
    const exists = (name: string) => existsSync(join(machine.project, name));
    const untilAsked = () =>
      untilShown(terminal, "it never asked", async (screen) => screen.includes(prompt));
    const status = async () => (await mesh.findPeer("Birch", "atlas"))?.declared?.status;
    const untilIdle = () => expect.poll(status).toBe("idle");

    await run("touch by-phone");
    await untilAsked();
    const first = await phone.shown();
    expect(first).toMatchObject({ tool, folder: machine.project, repeatable: true });
    expect(JSON.parse(first.input)).toMatchObject({ command: "touch by-phone" });
    expect(exists("by-phone")).toBe(false);
    await phone.answer(first, "allow");
    await expect.poll(() => exists("by-phone")).toBe(true);
    await untilIdle();

    await run("touch denied");
    await phone.answer(await phone.shown(), "deny", { words: "not on a Monday" });
    await model.waitFor("not on a Monday");
    expect(exists("denied")).toBe(false);
    await untilIdle();

    await run("touch by-terminal");
    await phone.shown();
    await untilAsked();
    expect(exists("by-terminal")).toBe(false);
    await pressAll(terminal, ["Enter"]);
    await expect.poll(() => exists("by-terminal")).toBe(true);
    await expect.poll(phone.ended).toMatchObject({ state: "withdrawn" });
    expect(await phone.waiting()).toEqual([]);
    await untilIdle();

    await run("touch again");
    await phone.answer(await phone.shown(), "allow", { again: true });
    await untilIdle();
    await run("touch again");
    await expect.poll(phone.ended).toMatchObject({ state: "allowed", allowed_by: expect.any(Number) });
    await untilIdle();

    await run("touch killed");
    await phone.shown();
    const isClient = (call: string) =>
      new RegExp(`/${client.name}(?:\\.exe)?(?: |$)`).test(call) && !call.includes(" launch ");
    const tree = await listTree(terminal.pid);
    await Promise.all(tree.filter(({ call }) => isClient(call)).map(({ pid }) => killProcess(pid)));
    await expect.poll(phone.waiting).toEqual([]);
    expect(exists("killed")).toBe(false);
  },
);
