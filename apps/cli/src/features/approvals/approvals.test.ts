import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OwnSignature } from "@merkle/wire";
import { drawSeed, signOwnWords, toAnswerWords, toDeviceKey } from "@merkle/wire/identity";
import { deriveSigningKey } from "@merkle/wire/keys";
import { expect, it, onTestFinished } from "vitest";
import { saveStoredPeer } from "../../home/stored-peers.js";
import { callBroker, ownCredential } from "../../test-kit/api.js";
import type { RunOptions } from "../../test-kit/merkle.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";
import { getDeviceKey } from "../own-words/device-key.js";
import { saveOwnLaunch } from "../own-words/own-launch.js";

const merkle = setUpSharedMerkle();
const asked = {
  tool_name: "Bash",
  cwd: "/work",
  tool_input: { command: "rm -rf build", description: "clean" },
};

/**
 * Prepares the home of an agent on another machine, with a hook that relays the permission prompts of the
 * agent's client.
 */
async function startAgent(name: string) {
  const home = await mkdtemp(join(tmpdir(), "merkle-agent-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const { url } = await merkle.readRunFile();
  const { mesh_id } = await callBroker(merkle, "get_app_info", {});
  const created = await callBroker(merkle, "create_session", { title: name, creator_team_name: "Birch" });
  const { session_id, slug, team_id: credential } = created;
  const [team_id = ""] = credential.split(".");
  await saveStoredPeer(home, {
    ...{ mesh_id, session_id, slug, team_id, team_name: "Birch", credential },
    ...{
      peer_id: null,
      peer_name: null,
      role: null,
      groups: [],
      session_key: null,
      claude_session_id: null,
      folder: null,
    },
    saved_at: new Date().toISOString(),
  });
  const env = { MERKLE_HOME: home, MERKLE_URL: url, MERKLE_PEER: team_id };
  const device = async () => (await listOwn()).device;
  return {
    ...{ home, session_id, credential, env },
    device,
    run: (args: readonly string[], options: RunOptions = {}) =>
      merkle.run(args, { ...options, env: { MERKLE_HOME: home, MERKLE_URL: url, ...options.env } }),
    async ask(more: Record<string, string> = {}, request: object = asked) {
      const args = ["hook", "approval", await device()];
      return merkle.start(args, { env: { ...env, ...more }, input: JSON.stringify(request) });
    },
  };
}

/** Binds the agent's launch to the device of the broker's home, as `--own-words` does. */
async function bindToHome({ home, session_id, credential }: Awaited<ReturnType<typeof startAgent>>) {
  const { peers } = await callBroker(merkle, "list_peers", { session_id }, credential);
  const peer_id = peers.find(({ team }) => team === "Birch")?.peer_id ?? "";
  const key = await getDeviceKey(merkle.home);
  const launch = { launch: randomBytes(16).toString("hex"), devices: [key.device] };
  await callBroker(merkle, "join_session", { session_id, team_name: "Birch", own_words: launch }, credential);
  const [storedPeerId = ""] = credential.split(".");
  saveOwnLaunch(home, storedPeerId, { ...launch, peer_id, person: "Ana", received: [] });
  return { key, launch, peer_id };
}

/** Lists the approvals for the person of the broker's home, who is created on first use. */
async function listOwn() {
  if ((await ownCredential(merkle)) === undefined) await merkle.run(["approvals"]);
  const credential = await ownCredential(merkle);
  return callBroker(merkle, "list_approvals", {}, credential);
}

/** Returns the number of the approval that is waiting for the person of the broker's home. */
async function waiting(): Promise<number> {
  const list = async () => (await listOwn()).waiting;
  await expect.poll(async () => (await list()).length).toBe(1);
  return (await list())[0]?.approval ?? 0;
}

it("[CLI-195] [APPROVE-15] merkle approvals allows a command again in the launch whose hook asks, lists and revokes it", async () => {
  const agent = await startAgent("Allowed again");
  const request = { ...asked, tool_input: { command: "npm test", description: "check" } };
  const launch = randomBytes(32).toString("hex");
  const first = await agent.ask({ MERKLE_LAUNCH: launch }, request);
  const number = String(await waiting());
  const allowed = await merkle.run(["approvals", "allow", number, "--again"]);
  expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining("also again") });
  expect((await first.ended).stdout).toContain('"behavior":"allow"');

  const second = await agent.ask({ MERKLE_LAUNCH: launch }, request);
  expect(JSON.parse((await second.ended).stdout)).toMatchObject({
    hookSpecificOutput: { decision: { behavior: "allow", updatedInput: request.tool_input } },
  });
  expect(await merkle.run(["approvals"])).toMatchObject({
    stderr: expect.stringMatching(/allowed while a launch runs:.*npm test/s),
  });

  const later = await agent.ask({ MERKLE_LAUNCH: randomBytes(32).toString("hex") }, request);
  await merkle.run(["approvals", "deny", String(await waiting())]);
  expect((await later.ended).stdout).toContain('"behavior":"deny"');

  expect(await merkle.run(["approvals", "revoke", number])).toMatchObject({ code: 0 });
  expect(await merkle.run(["approvals", "revoke", number])).toMatchObject({ code: 5 });
  const third = await agent.ask({ MERKLE_LAUNCH: launch }, request);
  await merkle.run(["approvals", "leave", String(await waiting())]);
  expect((await third.ended).stdout).toBe("");

  const removing = await agent.ask({ MERKLE_LAUNCH: launch });
  const refused = await merkle.run(["approvals", "allow", String(await waiting()), "--again"]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("only be allowed once") });
  await merkle.run(["approvals", "leave", String(await waiting())]);
  await removing.ended;
});

it("[APPROVE-5] [APPROVE-4] merkle approvals shows all of it, and the hook tells the client to run exactly that, or why not", async () => {
  const agent = await startAgent("Answered by commands");
  expect((await merkle.run(["approvals"])).stderr).toContain("no pending approvals");
  const first = await agent.ask();
  const number = await waiting();
  const listed = await merkle.run(["approvals"]);
  expect(listed.stdout).toContain("rm -rf build");
  expect(listed.stdout).toContain("reason given: clean");
  expect(listed.stderr).toContain(`next: merkle approvals allow ${number}`);
  const fields = await merkle.run(["approvals", "--json", "approval,tool", "--limit", "1"]);
  expect(JSON.parse(fields.stdout)).toEqual([{ approval: number, tool: "Bash" }]);
  const allowed = await merkle.run(["approvals", "allow", String(number)]);
  expect(allowed).toMatchObject({ code: 0, stdout: `✓ approval ${number} allowed\n` });
  expect(JSON.parse((await first.ended).stdout)).toEqual({
    hookSpecificOutput: {
      hookEventName: "PermissionRequest",
      decision: { behavior: "allow", updatedInput: asked.tool_input },
    },
  });
  expect((await merkle.run(["approvals", "allow", String(number)])).code).toBe(5);

  const second = await agent.ask();
  await merkle.run(["approvals", "deny", String(await waiting()), "not today"]);
  expect(JSON.parse((await second.ended).stdout).hookSpecificOutput.decision).toEqual({
    behavior: "deny",
    message: "not today",
  });
  const third = await agent.ask();
  await merkle.run(["approvals", "leave", String(await waiting())]);
  expect(await third.ended).toMatchObject({ code: 0, stdout: "" });
});

const question = {
  question: "Which database?",
  header: "Database",
  multiSelect: false,
  options: [
    { label: "Postgres", description: "Relational", preview: "db:\n  image: postgres" },
    { label: "SQLite", description: "A file" },
  ],
};
const features = {
  question: "Which features?",
  header: "Features",
  multiSelect: true,
  options: [{ label: "Auth" }, { label: "Search" }, { label: "Export" }],
};
const toRequest = (questions: readonly object[], more: object = {}) => ({
  tool_name: "AskUserQuestion",
  cwd: "/work",
  tool_input: { questions, ...more },
});

it("[APPROVE-13] an agent takes answers only with the signature of a device that its launch names", async () => {
  const agent = await startAgent("Signed answers");
  const { session_id } = agent;
  const { key, launch, peer_id } = await bindToHome(agent);
  const person = await ownCredential(merkle);
  const stranger = toDeviceKey(deriveSigningKey(drawSeed()));
  const sign = (hash: string, answers: string[], by = key, at = new Date(), more: object = {}) =>
    signOwnWords(
      toAnswerWords({ session_id, hash, answers }),
      { ...launch, peer_id, ...more },
      { key: by, now: at },
    );

  const forgeries: Readonly<Record<string, (hash: string) => Promise<OwnSignature | undefined>>> = {
    "without a signature": async () => undefined,
    "by another device": (hash) => sign(hash, ["SQLite"], stranger),
    "for another answer": (hash) => sign(hash, ["Postgres"]),
    "for another request": () => sign("0".repeat(64), ["SQLite"]),
    "for an earlier launch": (hash) => sign(hash, ["SQLite"], key, new Date(), { launch: "0".repeat(32) }),
    "for another agent": (hash) => sign(hash, ["SQLite"], key, new Date(), { peer_id: session_id }),
    "that is too old": (hash) => sign(hash, ["SQLite"], key, new Date(Date.now() - 11 * 60_000)),
  };
  for (const [name, forge] of Object.entries(forgeries)) {
    const hook = await agent.ask({}, toRequest([question]));
    const approval = await waiting();
    const { hash = "" } = (await listOwn()).waiting[0] ?? {};
    const own = await forge(hash);
    const answers = [{ options: ["SQLite"] }];
    await callBroker(
      merkle,
      "answer_approval",
      { approval, hash, decision: "allow", answers, ...(own && { own }) },
      person,
    );
    expect(await hook.ended, name).toMatchObject({ code: 0, stdout: "" });
  }

  const hook = await agent.ask({}, toRequest([question]));
  await merkle.run(["approvals", "answer", String(await waiting()), "2"]);
  const { answers } = JSON.parse((await hook.ended).stdout).hookSpecificOutput.decision.updatedInput;
  expect(answers).toEqual({ "Which database?": "SQLite" });

  // A command does not send an answer that would not count.
  const other = await agent.ask({}, toRequest([question]));
  const others = { ...launch, devices: [stranger.device] };
  const { credential } = agent;
  await callBroker(merkle, "join_session", { session_id, team_name: "Birch", own_words: others }, credential);
  const refused = await merkle.run(["approvals", "answer", String(await waiting()), "2"]);
  expect(refused).toMatchObject({ code: 4 });
  expect(refused.stderr).toContain("takes answers only from devices that were named when it was launched");
  await merkle.run(["approvals", "leave", String(await waiting())]);
  expect((await other.ended).stdout).toBe("");

  // A permission is bound by its hash and device alone.
  const command = await agent.ask();
  await merkle.run(["approvals", "allow", String(await waiting())]);
  expect((await command.ended).stdout).toContain('"behavior":"allow"');
});

it("[CLI-164] [APPROVE-10] merkle approvals shows a question with its options, and answers it by their numbers or in own words", async () => {
  const agent = await startAgent("Questions by commands");
  await bindToHome(agent);
  // The model cannot answer its own question, nor add notes in its user's name.
  const forged = {
    answers: { "Which database?": "MySQL" },
    annotations: { "Which database?": { notes: "x" } },
  };
  const hook = await agent.ask({}, toRequest([question, features], forged));
  const number = await waiting();
  const listed = await merkle.run(["approvals"]);
  for (const line of [
    "Which database?",
    "1  Postgres   Relational",
    "image: postgres",
    "2  SQLite     A file",
  ])
    expect(listed.stdout).toContain(line);
  expect(listed.stdout).toContain("Which features? (several are possible)");
  expect(listed.stderr).toContain(`next: merkle approvals answer ${number} 1 1`);

  const answer = (...words: string[]) => merkle.run(["approvals", "answer", String(number), ...words]);
  const tooHigh = await answer("3", "1");
  expect(tooHigh).toMatchObject({ code: 2 });
  expect(tooHigh.stderr).toContain('names "3", which "Which database?" does not offer');
  expect((await answer("2")).stderr).toContain("one answer for each of the 2 questions");
  expect((await merkle.run(["approvals", "allow", String(number)])).stderr).toContain("is a question");
  expect(await answer("2", "1,3")).toMatchObject({ code: 0, stdout: `✓ approval ${number} answered\n` });
  expect(JSON.parse((await hook.ended).stdout)).toEqual({
    hookSpecificOutput: {
      hookEventName: "PermissionRequest",
      decision: {
        behavior: "allow",
        updatedInput: {
          questions: [question, features],
          answers: { "Which database?": "SQLite", "Which features?": "Auth, Export" },
        },
      },
    },
  });

  const second = await agent.ask({}, toRequest([question]));
  await merkle.run(["approvals", "answer", String(await waiting()), "neither, use DuckDB"]);
  const { answers } = JSON.parse((await second.ended).stdout).hookSpecificOutput.decision.updatedInput;
  expect(answers).toEqual({ "Which database?": "neither, use DuckDB" });

  const command = await agent.ask();
  const asked = String(await waiting());
  expect((await merkle.run(["approvals", "answer", asked, "1"])).stderr).toContain("asks no question");
  expect((await merkle.run(["approvals", "allow", asked, "why"])).stderr).toContain("Only deny and answer");
  await merkle.run(["approvals", "deny", asked, "not", "today"]);
  expect((await command.ended).stdout).toContain('"message":"not today"');
});

it("[APPROVE-10] a question stays at the terminal without --own-words, if no page can show it, and without all its answers", async () => {
  const agent = await startAgent("Questions left");
  const unbound = await agent.ask({}, toRequest([question]));
  expect(await unbound.ended).toMatchObject({ code: 0, stdout: "" });
  expect((await listOwn()).ended[0]?.session).not.toBe("questions-left");
  await bindToHome(agent);
  const unknown = await agent.ask({}, toRequest([{ question: "How?", kind: "slider" }]));
  expect(await unknown.ended).toMatchObject({ code: 0, stdout: "" });
  const lose = (path: string, text: string) =>
    path.includes("/wait") ? text.replace(/"answers":\[[^\]]*\]/, '"answers":["SQLite"]') : text;
  const hook = await agent.ask(await standBetween(lose), toRequest([question, features]));
  await merkle.run(["approvals", "answer", String(await waiting()), "2", "1"]);
  expect(await hook.ended).toMatchObject({ code: 0, stdout: "" });
});

it("[APPROVE-11] a plan is approved as it was shown, and presented again if its file has changed since", async () => {
  const agent = await startAgent("Plans by commands");
  const planFilePath = join(agent.home, "plan.md");
  const plan = "# Plan\n\n1. Test it\n2. Do it";
  const request = { tool_name: "ExitPlanMode", cwd: "/work", tool_input: { plan, planFilePath } };
  const decide = async (hook: Awaited<ReturnType<typeof agent.ask>>) => {
    await merkle.run(["approvals", "allow", String(await waiting())]);
    return JSON.parse((await hook.ended).stdout).hookSpecificOutput.decision;
  };
  await writeFile(planFilePath, plan);
  const first = await agent.ask({}, request);
  await waiting();
  expect((await merkle.run(["approvals"])).stdout).toContain("  1. Test it\n  2. Do it\n");
  expect(await decide(first)).toEqual({ behavior: "allow", updatedInput: { plan, planFilePath } });

  const second = await agent.ask({}, request);
  await waiting();
  await writeFile(planFilePath, "# Plan\n\n1. Do it");
  expect(await decide(second)).toEqual({
    behavior: "deny",
    message: expect.stringContaining("has changed since"),
  });
});

it("[APPROVE-12] a turn that ends with a question is shown until the client works again, and answered by a message", async () => {
  const agent = await startAgent("Turns that end");
  await bindToHome(agent);
  const claude = await mkdtemp(join(tmpdir(), "merkle-claude-"));
  onTestFinished(() => rm(claude, { recursive: true, force: true }));
  await mkdir(join(claude, "sessions"));
  const report = (status: string, statusUpdatedAt: number) =>
    writeFile(
      join(claude, "sessions", "7.json"),
      JSON.stringify({ kind: "interactive", status, statusUpdatedAt }),
    );
  const end = async (last_assistant_message: string) =>
    merkle.start(["hook", "turn-end", await agent.device()], {
      env: { ...agent.env, CLAUDE_CONFIG_DIR: claude, CLAUDE_PID: "7" },
      input: JSON.stringify({ hook_event_name: "Stop", cwd: "/work", last_assistant_message }),
    });
  await report("idle", 1);
  const done = await end("Deployed.");
  expect(await done.ended).toMatchObject({ code: 0, stdout: "", stderr: "" });

  const asked = await end("Tests pass.\n\nShall I deploy?");
  const number = await waiting();
  const listed = await merkle.run(["approvals"]);
  expect(listed.stdout).toContain("  Tests pass.\n\n  Shall I deploy?\n");
  expect(listed.stderr).toContain("next: merkle post turns-that-end --to Birch <answer>");
  const allowed = await merkle.run(["approvals", "allow", String(number)]);
  expect(allowed).toMatchObject({ code: 2 });
  expect(allowed.stderr).toContain("Answer with a message.");
  // A turn that began and ended between two polls ends the question, too.
  await report("idle", 2);
  expect(await asked.ended).toMatchObject({ code: 0, stdout: "", stderr: "" });
  expect((await listOwn()).waiting).toEqual([]);

  const left = await end("Shall I?");
  await merkle.run(["approvals", "leave", String(await waiting())]);
  expect(await left.ended).toMatchObject({ code: 0, stdout: "", stderr: "" });
});

it("[APPROVE-6] a hook that its client ends takes its ask back, and one that cannot ask says nothing", async () => {
  const agent = await startAgent("Ended by the client");
  const hook = await agent.ask();
  const number = await waiting();
  hook.process.kill("SIGTERM");
  expect((await hook.ended).stdout).toBe("");
  const events = async () => {
    const { messages } = await callBroker(merkle, "get_history", { session_id: agent.session_id });
    return messages.filter(({ event }) => event === "approval_ended").map(({ content }) => content);
  };
  await expect.poll(events).toMatchObject([{ approval: number, decision: "withdrawn", by: null }]);
  const alone = await agent.ask({ MERKLE_URL: "http://127.0.0.1:1" });
  expect(await alone.ended).toMatchObject({ code: 0, stdout: "" });
});

/**
 * Starts a proxy between the hook and the broker that passes each response through `change`. If `change`
 * returns null, the response is dropped.
 */
async function standBetween(
  change: (path: string, text: string) => string | null,
): Promise<{ MERKLE_URL: string }> {
  const { url } = await merkle.readRunFile();
  const server = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    const { host: _, connection: __, ...headers } = request.headers;
    const answer = await fetch(new URL(request.url ?? "", url), {
      method: request.method ?? "GET",
      headers: headers as Record<string, string>,
      ...(body.length === 0 ? {} : { body: Buffer.concat(body) }),
    });
    const text = change(request.url ?? "", await answer.text());
    if (text === null) return response.destroy();
    response.writeHead(answer.status, { "content-type": "application/json" });
    return response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { MERKLE_URL: `http://127.0.0.1:${port}` };
}

it("[APPROVE-4] an answer to something else, whoever put it in the place of this, lets nothing run", async () => {
  const agent = await startAgent("Swapped on the way");
  // Makes an answer to another request look like the answer to this request.
  const swap = (path: string, text: string) =>
    path.includes("/wait") ? text.replace(/"hash":"[0-9a-f]{64}"/, `"hash":"${"0".repeat(64)}"`) : text;
  const hook = await agent.ask(await standBetween(swap));
  await merkle.run(["approvals", "allow", String(await waiting())]);
  expect(await hook.ended).toMatchObject({ code: 0, stdout: "" });
});

it("[APPROVE-6] an ask that was heard although its answer was lost is asked again as the same, and answered", async () => {
  const agent = await startAgent("Lost on the way back");
  let lost = 0;
  const loseFirst = (path: string, text: string) => {
    if (!path.endsWith("/approvals") || lost > 0) return text;
    lost += 1;
    return null;
  };
  const hook = await agent.ask(await standBetween(loseFirst));
  await merkle.run(["approvals", "allow", String(await waiting())]);
  expect((await hook.ended).stdout).toContain('"behavior":"allow"');
  expect(lost).toBe(1);
});

it("[APPROVE-3] no agent's shell answers or says who does, nor does a device whose credential lies beside the agent", async () => {
  const agent = await startAgent("Answered by itself");
  const inShell = { env: { CLAUDECODE: "1" } };
  for (const args of [
    ["approvals"],
    ["approvals", "allow", "1"],
    ["approvals", "answer", "1", "1"],
    ["config", "set", "approvers", "0".repeat(32), "--local"],
  ]) {
    const refused = await agent.run(args, inShell);
    expect(refused.code, args.join(" ")).toBe(2);
    expect(refused.stderr).toContain("an agent's shell");
  }
  expect(await ownCredential(merkle)).toBeDefined();
  const own = await merkle.run(["config", "set", "approvers", await agent.device(), "--local"]);
  expect(own.stderr).toContain("the agents here can read its credential");
  expect((await agent.run(["config", "set", "approvers", "me", "--local"])).code).toBe(2);

  const launch = [
    "launch",
    "--session",
    agent.session_id,
    "--team",
    "Birch",
    "--approvals",
    "--yes",
    "--dry-run",
  ];
  const none = await agent.run([...launch, "--claude-bin", process.execPath]);
  expect(none.stderr).toContain("--approvals needs the ID of a device");
  await agent.run(["config", "set", "approvers", await agent.device(), "--local"]);
  const gemini = await agent.run([...launch, "--client", "gemini"]);
  expect(gemini.stderr).toContain("does not support --approvals");
});
