import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OutputOf } from "@merkle/wire";
import { catalogue } from "@merkle/wire/schemas";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { testMerkle } from "../../apps/cli/src/test-kit/merkle.js";
import { createCleanup } from "../kit/cleanup.js";
import {
  type ConversationPart,
  controlTestCursor,
  installTestCursor,
  type TestCursor,
} from "../kit/cursor.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type Correspondent, startSession } from "./agents.js";

const cleanup = createCleanup();
let broker: TestBroker;
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
});

/** Creates a user of Cursor, and a Cursor that `merkle launch` or the user can start. */
async function testUser() {
  const merkle = await testMerkle();
  const bin = join(merkle.home, "bin");
  await installTestCursor(bin);
  const cursor = await controlTestCursor(join(merkle.home, "control.sock"));
  const env = { ...cursor.env, PATH: `${bin}:${process.env["PATH"]}` };
  return { merkle, cursor, env };
}

type TestUser = Awaited<ReturnType<typeof testUser>>;

/** Launches Cursor as the team Birch. */
async function launch(
  { merkle, cursor, env }: TestUser,
  { slug }: Correspondent,
  more: Readonly<Record<string, string>> = {},
) {
  const where = ["--url", broker.url, "--session", slug, "--team", "Birch", "-y"];
  const launched = merkle.start(["launch", "--client", "cursor", ...where], { env: { ...env, ...more } });
  // The program has the launch's streams, so it must end before a launch that a failed test leaves behind.
  onTestFinished(cursor.disconnect);
  const loaded = await Promise.race([
    cursor.loaded,
    launched.ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ]);
  return { launched, loaded };
}

/** Repeats a step of a turn until one adds this text to the conversation. Returns the part that contains it. */
async function stepUntil(
  cursor: TestCursor,
  step: Parameters<TestCursor["step"]>[0],
  text: string,
): Promise<ConversationPart | undefined> {
  let found: ConversationPart | undefined;
  await expect
    .poll(async () => {
      found = (await cursor.step(step)).find((part) => part.text.includes(text));
      return found?.text;
    })
    .toContain(text);
  return found;
}

/** Reads the stored peer of the launched Cursor. Its team has a peer without a name beside it. */
async function readStoredPeer(home: string): Promise<unknown> {
  const names = (await readdir(join(home, "teams"))).filter((each) => each.endsWith(".json"));
  const files = await Promise.all(names.map((name) => readFile(join(home, "teams", name), "utf8")));
  return files.map((text): unknown => JSON.parse(text)).find((peer) => Object(peer).peer_name !== null);
}

function countParts({ conversation }: TestCursor, text: string): number {
  return conversation.filter((part) => part.text.includes(text)).length;
}

describe("merkle launch --client cursor", () => {
  it("[LAUNCH-25] gives Cursor a plugin that introduces the model to its session, and writes to no file of its user", async () => {
    const alder = await startSession(broker);
    const user = await testUser();
    const { launched, loaded } = await launch(user, alder);
    expect(loaded.notes).toEqual([]);
    expect(loaded.hooks.toSorted()).toEqual(["postToolUse", "sessionStart", "stop"]);
    expect(loaded.rules).toEqual([
      expect.stringMatching(/^---\ndescription: Merkle\nalwaysApply: true\n---\n/),
    ]);
    const who = `You are "Birch/cursor" in the session "${alder.slug}"`;
    expect(loaded.rules[0]).toContain(who);
    expect(user.cursor.conversation).toEqual([{ model: "sessionStart", text: expect.stringContaining(who) }]);
    // A hook that runs before the server listens adds nothing, and the next one names the conversation.
    await expect
      .poll(async () => {
        await user.cursor.step({ tool: "Shell" });
        return readStoredPeer(user.merkle.home);
      })
      .toMatchObject({ claude_session_id: loaded.conversation });
    user.cursor.exit();
    expect(await launched.ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`-- --resume ${loaded.conversation}`),
    });
    expect(existsSync(join(user.merkle.home, ".cursor"))).toBe(false);
    expect(await readdir(join(user.merkle.home, "launch"))).toEqual([]);
  });

  it("[WAKE-25] messages arrive in a turn and at its end, each once, in order and marked; nothing wakes it when idle", async () => {
    const alder = await startSession(broker);
    const user = await testUser();
    const { cursor } = user;
    const { launched } = await launch(user, alder);
    await cursor.step({ prompt: "begin" });

    await alder.post("which port?", { to: "Birch" });
    await alder.post("and which host?", { to: "Birch" });
    const both = await stepUntil(cursor, { tool: "Shell" }, "and which host?");
    expect(both?.model).toBe("postToolUse");
    const asked = cursor.conversation.map(({ text }) => text).join("\n");
    expect(asked).toMatch(
      /from other agents or humans .* not from your user.*\n#2 Alder to Birch: which port\?\n/s,
    );
    expect(asked.indexOf("which port?")).toBeLessThan(asked.indexOf("and which host?"));

    await alder.post("one more thing", { to: "Birch" });
    const next = await stepUntil(cursor, { stop: "completed" }, "one more thing");
    expect(next).toEqual({
      user: "followup",
      text: expect.stringMatching(
        /^1 Merkle message, not from your user:\n#4 Alder to Birch: one more thing$/,
      ),
    });
    expect(await cursor.step({ stop: "completed" })).toEqual([]);

    await expect
      .poll(async () => (await alder.listPeers("Birch"))[0])
      .toMatchObject({ status: "idle", capabilities: { wake: ["hooks"] } });
    const { peers } = await alder.ask<OutputOf<"list_peers">>("GET", "/peers");
    expect(catalogue.list_peers.compact({ peers }, { credentialHolder: "server" })).toMatch(
      /Birch\/cursor, .*cannot be woken: reads at its next turn/,
    );
    const before = cursor.conversation.length;
    const reply = await alder.ask<Record<string, unknown>>("POST", "/messages", {
      content: { text: "are you there?" },
      to: "Birch",
    });
    expect(reply).toMatchObject({ recipients: [{ wake: ["hooks"], delivered: false }] });
    // The wait of another request gives a nudge more time than it would need.
    await alder.listPeers("Birch");
    expect(cursor.conversation).toHaveLength(before);
    await cursor.step({ prompt: "go on" });
    await stepUntil(cursor, { tool: "Shell" }, "are you there?");

    for (const text of ["which port?", "and which host?", "one more thing", "are you there?"])
      expect(countParts(cursor, text)).toBe(1);
    expect(cursor.conversation.map(({ text }) => text).join("\n")).not.toContain("(again)");
    cursor.exit();
    await launched.ended;
  });

  it("[WAKE-25] a turn that its user aborted is not continued; the next one gets the messages", async () => {
    const alder = await startSession(broker);
    const user = await testUser();
    const { cursor } = user;
    const { launched } = await launch(user, alder);
    await cursor.step({ prompt: "begin" });
    await cursor.step({ tool: "Shell" });
    await alder.post("stop that", { to: "Birch" });
    for (const status of ["aborted", "error"] as const)
      expect(await cursor.step({ stop: status })).toEqual([]);
    await expect.poll(async () => (await alder.listPeers("Birch"))[0]).toMatchObject({ status: "idle" });
    await cursor.step({ prompt: "again" });
    await stepUntil(cursor, { tool: "Shell" }, "stop that");
    expect(countParts(cursor, "stop that")).toBe(1);
    cursor.exit();
    await launched.ended;
  });

  it("[LAUNCH-26] beside installed servers and hooks, also those of Claude Code, there is one set of tools, and a message comes once", async () => {
    const alder = await startSession(broker);
    const user = await testUser();
    const { merkle, cursor, env } = user;
    await install(user);
    await writeFile(join(merkle.home, "bin", "claude"), "#!/bin/sh\necho 2.1.330\n", { mode: 0o755 });
    expect(await merkle.run(["install", "-y"], { env })).toMatchObject({ code: 0 });
    const { launched, loaded } = await launch(user, alder, { TEST_CLAUDE_HOOKS: "1" });
    expect(loaded.tools.map((tools) => tools.includes("post_message")).sort()).toEqual([false, true]);
    expect(loaded.hooks.filter((event) => event === "postToolUse")).toHaveLength(1);
    expect(loaded.hooks.filter((event) => event === "stop").length).toBeGreaterThan(1);
    await cursor.step({ prompt: "begin" });
    await alder.post("only once", { to: "Birch" });
    await stepUntil(cursor, { stop: "completed" }, "only once");
    await cursor.step({ tool: "Shell" });
    await cursor.step({ stop: "completed" });
    expect(countParts(cursor, "only once")).toBe(1);
    expect(cursor.conversation.filter(({ model }) => model === "sessionStart")).toHaveLength(1);
    cursor.exit();
    await launched.ended;
  });
});

describe("merkle install --client cursor", () => {
  it("[INSTALL-14] a Cursor that its user starts gets messages, once its model has joined", async () => {
    const alder = await startSession(broker);
    const user = await testUser();
    const { merkle, cursor, env } = user;
    await install(user);
    const program = spawn(join(merkle.home, "bin", "cursor-agent"), {
      env: { ...env, HOME: merkle.home, TMPDIR: tmpdir() },
      cwd: merkle.home,
      stdio: ["ignore", "inherit", "inherit"],
    });
    onTestFinished(cursor.disconnect);
    const ended = once(program, "close");
    const { notes, tools } = await cursor.loaded;
    expect(notes).toEqual([]);
    expect(tools).toEqual([expect.arrayContaining(["join_session"])]);
    await cursor.step({ prompt: "join" });
    const [joined] = await cursor.step({
      tool: "join_session",
      input: { session_id: alder.slug, team_name: "Birch" },
    });
    expect(joined?.text).toContain("joined");
    await alder.post("welcome", { to: "Birch" });
    expect(await stepUntil(cursor, { tool: "Shell" }, "welcome")).toMatchObject({ model: "postToolUse" });
    await alder.post("and goodbye", { to: "Birch" });
    expect(await stepUntil(cursor, { stop: "completed" }, "goodbye")).toMatchObject({ user: "followup" });
    cursor.exit();
    await ended;
    for (const text of ["welcome", "and goodbye"]) expect(countParts(cursor, text)).toBe(1);
  });

  it("[INSTALL-15] keeps what others have in the file of hooks, and the version that they need after uninstall", async () => {
    const user = await testUser();
    const { merkle, env } = user;
    const path = join(merkle.home, ".cursor", "hooks.json");
    await install(user);
    const content = JSON.parse(await readFile(path, "utf8"));
    expect(content).toMatchObject({ version: 1, hooks: { stop: [{ loop_limit: null }] } });
    await writeFile(
      path,
      JSON.stringify({ ...content, hooks: { ...content.hooks, afterFileEdit: [{ command: "fmt" }] } }),
    );
    expect(await merkle.run(["uninstall", "--client", "cursor", "-y"], { env })).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
      version: 1,
      hooks: { afterFileEdit: [{ command: "fmt" }] },
    });
  });

  it("[INSTALL-15] an older cursor-agent, which may ignore the file because of one name in it, gets no hooks", async () => {
    const { merkle, env } = await testUser();
    const { code, stderr } = await merkle.run(["install", "--client", "cursor", "-y"], {
      env: { ...env, TEST_VERSION: "2026.01.02-80e4d9b" },
    });
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("can be woken only through a wait; hooks need 2026.09.10"),
    });
    expect(await readdir(join(merkle.home, ".cursor"))).toEqual(["mcp.json"]);
  });
});

async function install({ merkle, env }: Pick<TestUser, "merkle" | "env">): Promise<void> {
  const done = await merkle.run(["install", "--client", "cursor", "-y", "--url", broker.url], { env });
  expect(done).toMatchObject({ code: 0 });
}
