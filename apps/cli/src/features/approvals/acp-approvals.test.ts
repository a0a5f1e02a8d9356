import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { acpAgentCommand, startAcpModel } from "../../../../../tests/kit/acp-model.js";
import { callBroker, ownCredential } from "../../test-kit/api.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";
import { hasTerminal, startAtTerminal } from "../../test-kit/terminal.js";

const merkle = setUpSharedMerkle();

/** Launches an ACP agent on another machine, whose permissions the person of the broker's home can answer. */
async function launchWithApprovals() {
  const home = await mkdtemp(join(tmpdir(), "merkle-agent-"));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const { url } = await merkle.readRunFile();
  const env = { MERKLE_HOME: home, MERKLE_URL: url };
  const { device } = await listOwn();
  const args = ["config", "set", "approvers", device, "--local"];
  expect(await merkle.run(args, { env })).toMatchObject({ code: 0 });
  const model = await startAcpModel();
  const session = randomUUID().replaceAll("-", "");
  const launch = [
    ...["launch", "--client", "acp", "--session", session, "--team", "Birch", "--approvals", "-y"],
    ...["--", ...acpAgentCommand],
  ];
  const terminal = startAtTerminal({ home }, launch, { ...env, ...model.env });
  await terminal.waitForScreen("Type a line to prompt it.");
  terminal.type("clean up\n");
  await model.nextPrompt();
  return { model, terminal };
}

async function listOwn() {
  if ((await ownCredential(merkle)) === undefined) await merkle.run(["approvals"]);
  return callBroker(merkle, "list_approvals", {}, await ownCredential(merkle));
}

const options = [
  { optionId: "for-ever", kind: "allow_always", name: "Always" },
  { optionId: "now", kind: "allow_once", name: "Once" },
  { optionId: "not-now", kind: "reject_once", name: "No" },
];
const toolCall = {
  toolCallId: "t1",
  title: "Clean",
  kind: "execute",
  rawInput: { command: "rm -rf build", description: "clean" },
};

it.runIf(hasTerminal)(
  "[APPROVE-14] [APPROVE-15] a permission of an ACP agent is answered over REST, once or for its launch, or at its terminal, which withdraws it",
  async () => {
    const { model, terminal } = await launchWithApprovals();
    const waiting = async () => (await listOwn()).waiting;

    model.step("permission", { toolCall, options });
    await expect
      .poll(waiting)
      .toEqual([expect.objectContaining({ tool: "Clean", input: JSON.stringify(toolCall.rawInput) })]);
    await terminal.waitForScreen("? Clean (execute)");
    const [first] = await waiting();
    expect(await merkle.run(["approvals", "allow", String(first?.approval)])).toMatchObject({ code: 0 });
    expect(await model.next("answered")).toMatchObject({ outcome: { outcome: "selected", optionId: "now" } });
    await terminal.waitForScreen("Allowed on a device: Clean");

    model.step("permission", { toolCall, options });
    await expect.poll(async () => (await waiting()).length).toBe(1);
    terminal.type("y\n");
    expect(await model.next("answered")).toMatchObject({ outcome: { optionId: "now" } });
    await expect.poll(waiting).toEqual([]);

    model.step("permission", { toolCall, options });
    await expect.poll(async () => (await waiting()).length).toBe(1);
    const [third] = await waiting();
    await merkle.run(["approvals", "deny", String(third?.approval), "not on a Monday"]);
    expect(await model.next("answered")).toMatchObject({ outcome: { optionId: "not-now" } });
    model.end();
    expect(await model.nextPrompt()).toContain("Your user denied Clean: not on a Monday");

    const tests = { ...toolCall, title: "Test", rawInput: { command: "npm test" } };
    model.step("permission", { toolCall: { ...tests, toolCallId: "t2" }, options });
    await expect.poll(waiting).toMatchObject([{ repeatable: true }]);
    const [repeatable] = await waiting();
    const allowed = await merkle.run(["approvals", "allow", String(repeatable?.approval), "--again"]);
    expect(allowed).toMatchObject({ code: 0 });
    expect(await model.next("answered")).toMatchObject({ outcome: { optionId: "now" } });
    model.step("permission", { toolCall: { ...tests, toolCallId: "t3" }, options });
    expect(await model.next("answered")).toMatchObject({ outcome: { optionId: "now" } });
    expect(await merkle.run(["approvals", "revoke", String(repeatable?.approval)])).toMatchObject({
      code: 0,
    });
    model.step("permission", { toolCall: { ...tests, toolCallId: "t4" }, options });
    await expect.poll(async () => (await waiting()).length).toBe(1);
    terminal.type("y\n");
    expect(await model.next("answered")).toMatchObject({ outcome: { optionId: "now" } });
    await expect.poll(waiting).toEqual([]);

    const noOnce = options.filter(({ kind }) => kind !== "allow_once");
    model.step("permission", { toolCall, options: noOnce });
    await expect.poll(async () => (await waiting()).length).toBe(1);
    const [fourth] = await waiting();
    await merkle.run(["approvals", "allow", String(fourth?.approval)]);
    await expect.poll(waiting).toEqual([]);
    terminal.type("n\n");
    expect(await model.next("answered")).toMatchObject({ outcome: { optionId: "not-now" } });
  },
);
