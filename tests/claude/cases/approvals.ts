import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Approval } from "@merkle/wire";
import {
  type DeviceKey,
  drawSeed,
  hashApproval,
  signOwnWords,
  toAnswerWords,
  toDeviceId,
  toDeviceKey,
} from "@merkle/wire/identity";
import { deriveSigningKey } from "@merkle/wire/keys";
import { formatAnswer } from "@merkle/wire/text";
import { expect, inject, it, onTestFinished } from "vitest";
import { findChromium, launchChromium } from "../../kit/chromium.js";
import { openPage } from "../../kit/open-page.js";
import { makePerson } from "../../kit/persons.js";
import { itOnOneBroker } from "../../kit/test-broker.js";
import { brokerTransports } from "../../kit/transports.js";
import { startAgent } from "../kit/agent.js";
import { makeMachine } from "../kit/machine.js";
import { type Mesh, startMesh } from "../kit/mesh.js";

const sha256 = (bytes: Uint8Array) => hash("sha256", bytes, "buffer");

/**
 * Starts an agent at a terminal, and a device that can answer its questions. The agent's client asks before it writes
 * files.
 */
async function startAsking(
  mesh: Mesh,
  team: string,
  { device, key, waiting }: { device: string; key?: DeviceKey; waiting: () => Promise<readonly Approval[]> },
  mode = "manual",
) {
  const machine = await makeMachine(onTestFinished);
  const env = machine.env({ modelUrl: "http://127.0.0.1:9", brokerUrl: mesh.url });
  const set = (name: string, value: string) =>
    promisify(execFile)(process.execPath, [inject("program"), "config", "set", name, value, "--local"], {
      env,
      cwd: machine.project,
    });
  await set("approvers", device);
  if (key) await set("own_devices", key.device);
  const launchArgs = ["--approvals", ...(key ? ["--own-words"] : [])];
  const birch = await startAgent(
    { mesh, team, machine, launchArgs, claudeArgs: [`--permission-mode=${mode}`] },
    onTestFinished,
  );
  /** Resolves with the only approval that waits, once the device shows it. */
  async function shown(): Promise<Approval> {
    await expect.poll(async () => (await waiting()).length).toBe(1);
    const [approval] = (await waiting()) as [Approval];
    return approval;
  }
  return {
    birch,
    /** Makes the agent ask its user questions. Resolves when both the terminal and the device show them. */
    async question(...questions: readonly { readonly question: string }[]) {
      await birch.prompt(`call AskUserQuestion ${JSON.stringify({ questions })} then say asked`);
      await birch.terminal.untilShown(questions[0]?.question ?? "");
      return shown();
    },
    /** Makes the agent present a plan, which it has written to the file that its client named. */
    async plan(text: string) {
      await birch.prompt("say planning");
      await birch.rests();
      const [path = ""] = /\/\S+\/plans\/\S+?\.md/.exec(birch.model.conversation) ?? [];
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      await birch.prompt("call ExitPlanMode {} then say planned");
      await birch.terminal.untilShown("Would you like to proceed?");
      return { path, approval: await shown() };
    },
    /** Makes the agent write a file. Resolves when both the terminal and the device show the client's question. */
    async write(name: string) {
      const path = join(machine.project, name);
      const call = `call Write {"file_path": ${JSON.stringify(path)}, "content": "hello"} then say tried ${name}`;
      await birch.prompt(call);
      await birch.terminal.untilShown(`Do you want to create ${name}`);
      return { path, approval: await shown() };
    },
    /** Presses a key repeatedly, because a new prompt does not accept keys immediately. */
    pressUntil: (key: string, isDone: () => Promise<boolean>) =>
      expect
        .poll(
          async () => {
            if (await isDone()) return true;
            await birch.terminal.press(key);
            return false;
          },
          { interval: 2_000 },
        )
        .toBe(true),
  };
}

/** Creates the person who answers from a phone, which signs answers with a key of its own. */
async function startPhone(mesh: Mesh) {
  const key = toDeviceKey(deriveSigningKey(drawSeed()));
  const rest = await brokerTransports.rest(mesh.url);
  onTestFinished(() => rest.close());
  const { person_id: credential } = await makePerson(rest, "Ana");
  const list = () => rest.call("list_approvals", { team_id: credential });
  return {
    credential,
    key,
    device: toDeviceId(credential, sha256) ?? "",
    waiting: async () => (await list()).waiting,
    /** Returns the state of the approval that ended last. */
    ended: async () => (await list()).ended[0]?.state,
    answer: ({ approval, ...shown }: Approval, decision: "allow" | "deny" | "leave", words?: string) =>
      rest.call("answer_approval", {
        ...{ approval, decision, hash: hashApproval(shown, sha256), team_id: credential },
        ...(words === undefined ? {} : { words }),
      }),
    async reply({ approval, ...shown }: Approval, answers: { options: string[]; text?: string }[]) {
      const hash = hashApproval(shown, sha256);
      const { session_id, asked_by } = shown;
      const peer = await mesh.findPeer(asked_by.split("/")[0] ?? "");
      if (!peer?.own_words) throw new Error(`The launch of ${asked_by} names no devices.`);
      const words = toAnswerWords({ session_id, hash, answers: answers.map(formatAnswer) });
      const recipient = { ...peer.own_words, peer_id: peer.peer_id };
      const own = await signOwnWords(words, recipient, { key, now: new Date() });
      await rest.call("answer_approval", {
        ...{ approval, decision: "allow", hash, answers, own, team_id: credential },
      });
    },
  };
}

const database = {
  question: "Which database?",
  header: "Database",
  multiSelect: false,
  options: [
    { label: "Postgres", description: "Relational" },
    { label: "SQLite", description: "A file" },
  ],
};
const features = {
  question: "Which features?",
  header: "Features",
  multiSelect: true,
  options: [
    { label: "Auth", description: "Login" },
    { label: "Export", description: "CSV" },
  ],
};

it("[APPROVE-10] [APPROVE-13] an agent's question is answered from the phone or at its terminal: the first answer counts, and the model gets it as its user's", async () => {
  const mesh = await startMesh(onTestFinished);
  const phone = await startPhone(mesh);
  const asking = await startAsking(mesh, "Birch", phone);
  const { birch } = asking;

  const both = await asking.question(database, features);
  await phone.reply(both, [{ options: ["SQLite"] }, { options: ["Auth", "Export"], text: "no import" }]);
  await birch.model.waitFor('"Which database?"="SQLite", "Which features?"="Auth, Export, no import"');
  await birch.terminal.untilShown("Which database? → SQLite");
  await birch.rests();

  const atTerminal = await asking.question(database);
  await asking.pressUntil("Enter", async () => (await phone.waiting()).length === 0);
  await expect.poll(phone.ended).toBe("withdrawn");
  await birch.model.waitFor('"Which database?"="Postgres"');
  const late = phone.reply(atTerminal, [{ options: ["SQLite"] }]);
  await expect(late).rejects.toMatchObject({ code: "conflict" });
  await birch.rests();

  const declined = await asking.question({ ...database, question: "Which one, then?" });
  await phone.answer(declined, "deny", "decide yourself");
  await birch.model.waitFor("decide yourself");
  await birch.rests();

  const left = await asking.question({ ...database, question: "Which at last?" });
  await phone.answer(left, "leave");
  await asking.pressUntil("Enter", async () =>
    birch.model.conversation.includes('"Which at last?"="Postgres"'),
  );

  const { messages } = await mesh.readHistory();
  const events = messages.filter(({ event }) => event === "approval_ended");
  expect(events.map(({ content }) => content["decision"])).toEqual([
    ...["allowed", "withdrawn", "denied", "left"],
  ]);
});

it("[APPROVE-12] a question at a turn's end is shown on the phone until another turn begins, by a message or at the terminal", async () => {
  const mesh = await startMesh(onTestFinished);
  const phone = await startPhone(mesh);
  const { birch } = await startAsking(mesh, "Birch", phone);
  const text = async () => (await phone.waiting()).map(({ input }) => JSON.parse(input));
  await birch.prompt("say Deployed.");
  await birch.rests();

  await birch.prompt("say Shall I deploy?");
  await expect.poll(text).toEqual([{ last_assistant_message: "Shall I deploy?" }]);
  const { letter } = await mesh.write("Birch/claude", { text: "yes, deploy it" });
  await birch.model.waitFor(letter);
  await expect.poll(phone.waiting).toEqual([]);
  await birch.rests();

  await birch.prompt("say Which region?");
  await expect.poll(text).toEqual([{ last_assistant_message: "Which region?" }]);
  await birch.prompt("say Done.");
  await expect.poll(phone.waiting).toEqual([]);
  const { messages } = await mesh.readHistory();
  expect(messages.filter(({ event }) => event === "approval_ended")).toEqual([]);
});

it.skipIf(findChromium() === undefined)(
  "[APPROVE-11] a plan is approved by a click on the page, not approved if its file has changed, and sent back with words",
  async () => {
    const mesh = await startMesh(onTestFinished);
    const phone = await startPhone(mesh);
    const asking = await startAsking(mesh, "Birch", phone, "plan");
    const { birch } = asking;
    const { page } = await openApprovals(mesh, phone);

    const first = await asking.plan("# Plan\n\n1. Do it");
    await phone.answer(first.approval, "deny", "test it first");
    await birch.model.waitFor("test it first");
    await birch.rests();

    const changed = await asking.plan("# Plan\n\n1. Test it\n2. Do it");
    await writeFile(changed.path, "# Plan\n\n1. Do something else");
    await phone.answer(changed.approval, "allow");
    await birch.model.waitFor("The plan's file has changed since Ana was shown the plan.");
    await birch.rests();

    await asking.plan("# Plan\n\n1. Test it\n2. Do it");
    const waiting = page.getByRole("list", { name: "Waiting" });
    await waiting.getByText("1. Test it\n2. Do it").waitFor();
    await page.getByRole("button", { name: "Approve plan" }).click();
    await birch.model.waitFor("User has approved your plan");
    await birch.terminal.untilShown("manual mode on");
  },
);

/** Opens the page Approvals in the browser that is the person's device. */
async function openApprovals(mesh: Mesh, phone: { readonly credential: string }) {
  const browser = await launchChromium(findChromium() ?? "");
  onTestFinished(() => browser.close());
  const [id] = phone.credential.split(".");
  const person = JSON.stringify({ id, name: "Ana", credential: phone.credential, verified: true });
  const localStorage = [{ name: "merkle.person", value: person }];
  const storageState = { cookies: [], origins: [{ origin: mesh.url, localStorage }] };
  return openPage(browser, `${mesh.url}/approvals`, { storageState });
}

it("[APPROVE-1] [APPROVE-5] [APPROVE-6] what the client asks is answered from elsewhere, at its terminal, or by nobody: the first answer counts, and none allows nothing", async () => {
  const mesh = await startMesh(onTestFinished);
  const phone = await startPhone(mesh);
  const asking = await startAsking(mesh, "Birch", phone);
  const { birch } = asking;

  const allowed = await asking.write("allowed.txt");
  expect(allowed.approval).toMatchObject({ tool: "Write", asked_by: "Birch/claude" });
  expect(JSON.parse(allowed.approval.input)).toEqual({ file_path: allowed.path, content: "hello" });
  expect(existsSync(allowed.path)).toBe(false);
  await phone.answer(allowed.approval, "allow");
  await expect.poll(() => existsSync(allowed.path)).toBe(true);
  await birch.rests();

  const denied = await asking.write("denied.txt");
  await phone.answer(denied.approval, "deny", "not in this folder");
  await expect.poll(() => birch.model.conversation).toContain("not in this folder");
  expect(existsSync(denied.path)).toBe(false);
  await birch.rests();

  const atTerminal = await asking.write("terminal.txt");
  await asking.pressUntil("Enter", async () => existsSync(atTerminal.path));
  await expect.poll(phone.ended).toBe("withdrawn");
  await birch.rests();

  const refused = await asking.write("refused.txt");
  await asking.pressUntil("Escape", async () => (await phone.waiting()).length === 0);
  await expect.poll(phone.ended).toBe("withdrawn");
  await birch.terminal.untilShown("Rejected write to refused.txt");
  expect(existsSync(refused.path)).toBe(false);

  // An answer survives a crash of the broker: the client asks again and receives the answer.
  const lost = await asking.write("lost.txt");
  await mesh.killBroker();
  await mesh.restartBroker();
  await phone.answer(lost.approval, "allow");
  await expect.poll(() => existsSync(lost.path)).toBe(true);
  await birch.rests();

  // If the phone leaves the question to the terminal, the terminal's prompt stays and nothing is written.
  const left = await asking.write("left.txt");
  await phone.answer(left.approval, "leave");
  await birch.terminal.untilShown("Do you want to create left.txt");
  expect(existsSync(left.path)).toBe(false);
  await asking.pressUntil("Enter", async () => existsSync(left.path));

  const { messages } = await mesh.readHistory();
  const events = messages.filter(({ event }) => event === "approval_ended");
  expect(events.map(({ content }) => [content["decision"], content["by"]])).toEqual([
    ["allowed", "Ana"],
    ["denied", "Ana"],
    ["withdrawn", null],
    ["withdrawn", null],
    ["allowed", "Ana"],
    ["left", "Ana"],
  ]);
});

it.skipIf(findChromium() === undefined)(
  "[APPROVE-5] [APPROVE-9] a click on the page lets a real client go on",
  async () => {
    const mesh = await startMesh(onTestFinished);
    const phone = await startPhone(mesh);
    const { page } = await openApprovals(mesh, phone);
    const byPage = await startAsking(mesh, "Birch", phone);
    const clicked = await byPage.write("clicked.txt");
    await page.getByText(`${clicked.path}\n+ hello`).waitFor();
    await page.getByRole("button", { name: "Allow once" }).click();
    await expect.poll(() => existsSync(clicked.path)).toBe(true);
  },
);

itOnOneBroker(
  "the home of a broker verifies everyone who gives commands from it, and three nodes have no home in common",
)("[APPROVE-5] [APPROVE-9] a command on another machine lets a real client go on", async () => {
  const mesh = await startMesh(onTestFinished);
  const listed = async () => JSON.parse(await mesh.run(["approvals", "--json"]));
  const { device } = await listed();
  const byCommand = await startAsking(mesh, "Cedar", {
    device,
    waiting: async () => (await listed()).waiting,
  });
  const { path, approval } = await byCommand.write("commanded.txt");
  await mesh.run(["approvals", "allow", String(approval.approval)]);
  await expect.poll(() => existsSync(path)).toBe(true);
});
