import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Message } from "@merkle/wire";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { makeAgentHome, type StdioServer, startStdioServer } from "../kit/stdio.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type Correspondent, startSession } from "./agents.js";

const log = "step 1\nstep 2 failed\n";

let broker: TestBroker;
let session: Correspondent;
let alex: Agent;
let birch: Agent;

interface Agent extends StdioServer {
  readonly home: string;
  readonly project: string;
}

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  session = await startSession(broker);
  alex = await startAgent("Alex", "atlas");
  birch = await startAgent("Birch", "oak");
});

/** Starts an agent whose project is a folder in its home. */
async function startAgent(team_name: string, peer_name: string): Promise<Agent> {
  const home = await makeAgentHome(cleanup);
  const project = join(home, "app");
  await mkdir(join(project, "logs"), { recursive: true });
  await mkdir(join(home, ".ssh"));
  await writeFile(join(home, ".ssh", "id_rsa"), "a secret");
  await writeFile(join(project, "logs", "build.log"), log);
  const merkleHome = join(home, ".merkle");
  await mkdir(merkleHome, { mode: 0o700 });
  const server = await startStdioServer(
    { url: broker.url, home, env: { MERKLE_HOME: merkleHome, CLAUDE_PROJECT_DIR: project } },
    cleanup,
  );
  await server.call("join_session", { session_id: session.slug, team_name, peer_name });
  return { ...server, home, project };
}

async function readLast(): Promise<Message | undefined> {
  const { messages } = await session.ask<{ messages: Message[] }>("GET", "/messages?types=chat");
  return messages.at(-1);
}

function findPath(answer: string): string {
  return /^saved: (.+)$/m.exec(answer)?.[1] ?? expect.unreachable(answer);
}

describe("A file of a message, over stdio", () => {
  it("[ATTACH-20] [ATTACH-21] [ATTACH-24] goes from project to peer by path, and never through a model's context", async () => {
    const posted = await alex.call("post_message", { content: "It fails.", files: ["logs/build.log"] });
    const number = Number(/^#(\d+) posted/.exec(posted)?.[1]);
    const mail = await birch.call("check_messages");
    expect(mail).toContain(
      `#${number} Alex/atlas: It fails.\n files (read_attachment): 1 build.log, text/plain, 21 bytes`,
    );
    const answer = await birch.call("read_attachment", { message: number });
    expect(`${mail}${answer}`).not.toContain("step 2");
    const path = findPath(answer);
    expect(path.startsWith(join(birch.home, ".merkle", "files"))).toBe(true);
    expect(await readFile(path, "utf8")).toBe(log);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(findPath(await birch.call("read_attachment", { message: number, file: 1 }))).toBe(path);
    expect(await birch.call("read_attachment", { message: number, file: 2 })).toContain("not_found");

    // A received file can be passed on.
    expect(await birch.call("post_message", { content: "Mine, too.", files: [path] })).toMatch(/posted/);
    expect(Object(await readLast())).toMatchObject({
      content: { text: "Mine, too.", attachments: [{ name: "build.log", size: 21, type: "text/plain" }] },
    });
  });

  it("[ATTACH-24] [ATTACH-26] is not sent from outside the project, by path or link, and then nothing is posted", async () => {
    await symlink(join(alex.home, ".ssh"), join(alex.project, "keys"));
    await writeFile(join(alex.project, ".env"), "TOKEN=secret");
    const before = await readLast();
    for (const file of ["../.ssh/id_rsa", join(alex.home, ".ssh", "id_rsa"), "keys/id_rsa", ".env"]) {
      const refusal = await alex.call("post_message", { content: "Look.", files: ["logs/build.log", file] });
      expect(refusal).toMatch(/^forbidden: .* was not attached/);
      expect(refusal).toContain("merkle post --file");
    }
    expect(await alex.call("post_message", { content: "Look.", files: ["none.log"] })).toMatch(
      /^bad_request: none\.log cannot be attached: there is no such file/,
    );
    expect(await readLast()).toEqual(before);
  });

  it("[ATTACH-24] models name one path, or write the list as JSON in a text", async () => {
    for (const files of ["logs/build.log", '["logs/build.log"]'])
      expect(await alex.call("post_message", { content: "Again.", files })).toMatch(/posted/);
    expect(await alex.call("post_message", { content: "Again.", files: [7] })).toMatch(
      /^bad_request: files must/,
    );
  });
});
