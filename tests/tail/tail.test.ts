import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Message } from "@merkle/wire";
import { connect } from "@merkle/wire/client";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { testMerkle } from "../../apps/cli/src/test-kit/merkle.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, listTexts, toBareId } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import type { Cleanup } from "../kit/test-database.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { parseMessages, readFeed, startTail } from "./tailing.js";
import { startTcpProxy } from "./tcp-proxy.js";

const program = inject("program");

describe("merkle tail", () => {
  let broker: TestBroker;
  let transport: TransportClient;

  beforeAll(async () => {
    const cleanups: (() => Promise<void>)[] = [];
    const cleanup: Cleanup = (run) => cleanups.unshift(run);
    broker = await startTestBroker({}, cleanup);
    transport = await transports.rest(broker.url);
    return async () => {
      for (const run of cleanups) await run();
    };
  });

  async function sessionWith(texts: readonly string[]) {
    const session = await createTestSession(transport);
    for (const text of texts) await session.post(session.convener, text);
    return session;
  }

  /** Follows a feed with a client that never pauses reading. */
  async function followToTheEnd(slug: string) {
    const client = connect({ url: broker.url, WebSocket });
    onTestFinished(() => client.close());
    let last = 0;
    const onMessage = ({ sequence }: Message) => {
      last = sequence;
    };
    await client.follow({ session: slug, after: 0, onMessage }).ready;
    return { hasSeen: (sequence: number) => expect.poll(() => last).toBeGreaterThanOrEqual(sequence) };
  }

  async function conclude({
    sessionId: session_id,
    convener: team_id,
  }: {
    sessionId: string;
    convener: string;
  }) {
    await transport.call("conclude_session", { session_id, team_id, summary_section: "Done." });
  }

  it("[CLI-30] prints messages and events for people, and says on stderr from where", async () => {
    const session = await createTestSession(transport, "Split the auth service");
    await session.join("Dune");
    await session.post(session.convener, "Token table is ready,\nsee auth/0007.");
    await transport.call("update_session_metadata", {
      session_id: session.sessionId,
      team_id: session.convener,
      title: "Split auth",
      reason: "shorter",
    });
    await conclude(session);
    const { ended } = await startTail(broker.url, [session.slug, "--since", "0", "--until-closed"]);
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "connected, 4 messages from #1\n" });
    expect(stdout.replaceAll(/^\d\d:\d\d:\d\d/gm, "14:03:22")).toBe(
      [
        "14:03:22 #1 · Dune joined",
        "14:03:22 #2 Atlas → everyone  Token table is ready,",
        "         see auth/0007.",
        '14:03:22 #3 · Atlas renamed the session: "Split the auth service" → "Split auth" (shorter)',
        "14:03:22 #4 · concluded by Atlas, document v1",
        "",
      ].join("\n"),
    );
  });

  it("[CLI-30] text of others commands no terminal and passes for no other message", async () => {
    const session = await sessionWith([
      "\u001b]0;owned\u0007\u001b[2J\r14:00:00 #9 Birch → everyone  forged",
    ]);
    const { ended } = await startTail(broker.url, [session.slug, "--since", "0", "--timeout", "0", "-q"]);
    const { stdout, stderr } = await ended;
    expect(stderr).toBe("");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is the point.
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(stdout).toMatch(/\n {9}14:00:00 #9 Birch/);
  });

  it("[CLI-32] starts with the last 10 messages, after a number, or at a time", async () => {
    const session = await sessionWith(Array.from({ length: 14 }, (_, index) => `text ${index + 1}`));
    const feed = await readFeed(transport, session.sessionId);
    const tail = async (...flags: string[]) => {
      const { ended } = await startTail(broker.url, [session.slug, "--timeout", "0", "--json", ...flags]);
      return parseMessages((await ended).stdout);
    };
    const [last, after, none, recent, long] = await Promise.all([
      tail(),
      tail("--since", "12"),
      tail("--since", "14"),
      tail("--since", "10m"),
      tail("--since", "0s"),
    ]);
    expect(last).toEqual(feed.slice(-10));
    expect(after).toEqual(feed.slice(12));
    expect(none).toEqual([]);
    expect(recent).toEqual(feed);
    expect(long).toEqual([]);
    const { ended } = await startTail(broker.url, [session.slug, "--timeout", "0"]);
    expect((await ended).stderr).toBe("connected, the last 10 of 14 from #5\n");
  });

  it("[CLI-32] --types and --from show what they name, and the last 10 are of these", async () => {
    const session = await sessionWith(["first"]);
    const birch = await session.join("Birch");
    await session.post(birch.credential, "from Birch");
    for (let index = 0; index < 12; index += 1) await session.post(session.convener, `more ${index}`);
    const tail = async (...flags: string[]) => {
      const { ended } = await startTail(broker.url, [session.slug, "--timeout", "0", "--json", ...flags]);
      return listTexts(parseMessages((await ended).stdout));
    };
    expect(await tail("--from", "birch")).toEqual(["team_joined", "from Birch"]);
    expect(await tail("--from", "Birch", "--types", "chat")).toEqual(["from Birch"]);
    expect(await tail("--types", "system")).toEqual(["team_joined"]);
    expect(await tail("--types", "chat,system", "--since", "0")).toHaveLength(15);
  });

  it("[CLI-33] follows what comes, and ends with the conclusion", async () => {
    const session = await sessionWith([]);
    const tail = await startTail(broker.url, [session.slug, "--json", "--until-closed"]);
    const text = await startTail(broker.url, [session.slug, "--until-closed"]);
    await text.untilStderr("connected, nothing posted yet\n");
    await session.post(session.convener, "live");
    await text.untilStdoutLines(1);
    await conclude(session);
    expect(await text.ended).toMatchObject({ code: 0 });
    expect(await tail.ended).toMatchObject({ code: 0, stderr: "" });
    expect(parseMessages(tail.stdout())).toEqual(await readFeed(transport, session.sessionId));
  });

  it("[CLI-33] a closed session is printed and ends with --until-closed, and is waited on without", async () => {
    const session = await sessionWith(["said"]);
    await conclude(session);
    const waiting = await startTail(broker.url, [session.slug]);
    const ended = await (await startTail(broker.url, [session.slug, "--until-closed"])).ended;
    expect(ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/#1 .*\n.*#2 · concluded by Atlas/),
    });
    await waiting.untilStderr(`the last 2 of 2 from #1; ${session.slug} is closed, Ctrl+C ends`);
    waiting.process.kill("SIGINT");
    expect(await waiting.ended).toMatchObject({ code: 130 });
  });

  it("[CLI-33] --timeout ends it in that time, exit 0", async () => {
    const session = await sessionWith(["said"]);
    const { ended } = await startTail(broker.url, [session.slug, "--timeout", "0.5", "--json"]);
    expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining("said") });
  });

  it("[CLI-34] unread is what this home's person has not been shown; twice in a row is nothing", async () => {
    const session = await sessionWith(["one", "two", "three"]);
    const merkle = await testMerkle();
    const unread = [session.slug, "--since", "unread", "--timeout", "0"];
    const tail = async (...flags: string[]) =>
      (await startTail(broker.url, [...unread, ...flags], { merkle })).ended;

    // If a filter is used, no message is marked as read.
    expect(await tail("--from", "Atlas")).toMatchObject({
      stderr: expect.stringContaining("nothing is marked as read"),
    });
    expect(await tail()).toMatchObject({ code: 0, stderr: "connected, 3 unread from #1\n" });
    expect(await tail()).toMatchObject({ code: 0, stdout: "", stderr: "connected, nothing unread\n" });
    await session.post(session.convener, "four");
    expect(await tail("--json")).toMatchObject({ code: 0, stdout: expect.stringMatching(/"four"[^\n]*\n$/) });
    expect(await tail()).toMatchObject({ stderr: "connected, nothing unread\n" });
    // `merkle tail` did not join the session.
    expect((await readFeed(transport, session.sessionId)).map(({ type }) => type)).not.toContain("system");
  });

  it("[CLI-34] what was printed before Ctrl+C is read", async () => {
    const session = await sessionWith(["one"]);
    const merkle = await testMerkle();
    const tail = await startTail(broker.url, [session.slug, "--since", "unread"], { merkle });
    await tail.untilStdoutLines(1);
    await session.post(session.convener, "two");
    await tail.untilStdoutLines(2);
    tail.process.kill("SIGINT");
    expect(await tail.ended).toMatchObject({ code: 130, stderr: "connected, 1 unread from #1\n" });
    const again = await startTail(broker.url, [session.slug, "--since", "unread", "--timeout", "0"], {
      merkle,
    });
    expect(await again.ended).toMatchObject({ stdout: "" });
  });

  it("[CLI-34] in an agent's shell unread is its team's, and never acknowledged from there", async () => {
    const session = await sessionWith([]);
    const birch = await session.join("Birch");
    await session.post(session.convener, "for Birch");
    const merkle = await testMerkle();
    const { mesh_id } = await transport.call("get_app_info", {});
    const team_id = toBareId(birch.credential);
    const held = {
      mesh_id,
      session_id: session.sessionId,
      slug: session.slug,
      team_id,
      team_name: "Birch",
      credential: birch.credential,
      claude_session_id: null,
      folder: null,
      saved_at: new Date().toISOString(),
    };
    await keep(merkle.home, "teams", team_id, held);
    const env = { MERKLE_SESSION: session.slug, MERKLE_TEAM: "Birch" };
    for (let times = 0; times < 2; times += 1) {
      const tail = await startTail(broker.url, ["--since", "unread", "--timeout", "0"], { merkle, env });
      expect(await tail.ended).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^\S+ #2 Atlas → everyone {2}for Birch\n$/),
        stderr: "connected, 1 unread from #2\n",
      });
    }
    await session.post(birch.credential, "mine");
    const own = await startTail(broker.url, ["--since", "2", "--timeout", "0"], { merkle, env });
    expect(await own.ended).toMatchObject({ stdout: expect.stringMatching(/#3 you → everyone {2}mine/) });
  });

  it("[CLI-30] a person's own messages are marked you, and those of humans (human)", async () => {
    const session = await sessionWith([]);
    const merkle = await testMerkle();
    const { mesh_id } = await transport.call("get_app_info", {});
    const { person_id: credential } = await makePerson(transport, "Ana");
    const person = { mesh_id, person_id: toBareId(credential), name: "Ana", credential };
    await keep(merkle.home, "persons", mesh_id, person);
    await session.post(credential, "Use the vault");
    const flags = [session.slug, "--types", "chat", "--timeout", "0"];
    const own = await (await startTail(broker.url, flags, { merkle })).ended;
    expect(own.stdout).toMatch(/#2 you \(human\) → everyone {2}Use the vault\n$/);
    const others = await (await startTail(broker.url, flags)).ended;
    expect(others.stdout).not.toContain(" you ");
    expect(others.stdout).toMatch(/ Ana \(human\) → everyone {2}Use the vault\n$/);
  });

  it("[CLI-30] without a session it is MERKLE_SESSION, or the open one with the newest activity", async () => {
    const older = await sessionWith(["in the older"]);
    const newest = await sessionWith(["in the newest"]);
    const named = await startTail(broker.url, ["--timeout", "0"], { env: { MERKLE_SESSION: older.slug } });
    expect(await named.ended).toMatchObject({ stdout: expect.stringContaining("in the older") });
    const found = await startTail(broker.url, ["--timeout", "0"]);
    expect(await found.ended).toMatchObject({
      stdout: expect.stringContaining("in the newest"),
      stderr: expect.stringMatching(new RegExp(`^${newest.slug}: `)),
    });
  });

  it.each([
    [["no-such-session"], 5, "There is no session"],
    [["--since", "yesterday"], 2, "--since must be"],
    [["--types", "asks"], 2, "--types must be"],
    [["--timeout", "soon"], 2, "--timeout must be"],
    [["--sinze", "1"], 2, "Did you mean --since?"],
  ])("[CLI-30] %j ends with %i", async (args, code, words) => {
    const { ended } = await startTail(broker.url, args);
    expect(await ended).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(words) });
  });

  it("[CLI-32] a number that the feed has not reached is a usage error", async () => {
    const session = await sessionWith(["one"]);
    const { ended } = await startTail(broker.url, [session.slug, "--since", "2", "--json"]);
    const { code, stderr } = await ended;
    expect(code).toBe(2);
    expect(JSON.parse(stderr).error).toMatchObject({ code: "usage", message: expect.stringContaining("#1") });
  });

  it("[CLI-35] a reader that has read enough ends it with 0", async () => {
    const session = await sessionWith(["one", "two", "three"]);
    const command = `"${process.execPath}" "${program}" tail ${session.slug} --since 0 --json | head -1; exit \${PIPESTATUS[0]}`;
    const shell = spawn("bash", ["-c", command], {
      env: { ...process.env, MERKLE_URL: broker.url, MERKLE_HOME: broker.home },
    });
    let text = "";
    shell.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    shell.stderr.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    const posting = setInterval(() => void session.post(session.convener, "more"), 100);
    onTestFinished(() => clearInterval(posting));
    expect(await once(shell, "close")).toEqual([0, null]);
    expect(listTexts(parseMessages(text))).toEqual(["one"]);
  });

  it("[CLI-35] a reader that stops costs neither memory nor a message; Ctrl+C tears no line", {
    tags: "long",
  }, async () => {
    const session = await sessionWith([]);
    const proxy = await startTcpProxy(broker.port);
    const tail = await startTail(proxy.url, [session.slug, "--since", "0", "--json"]);
    const onlooker = await followToTheEnd(session.slug);
    await session.post(session.convener, "first");
    await tail.untilStdoutLines(1);
    const { stdout } = tail.process;
    stdout?.pause();
    const before = proxy.bytesBrought;
    const text = "x".repeat(64_000);
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 20 }, () => session.post(session.convener, text)));
    }
    // After this, the observer has received all 13 MB. The paused client cannot have buffered data that never passed
    // the proxy.
    await onlooker.hasSeen(201);
    expect(proxy.bytesBrought - before).toBeLessThan(8_000_000);
    stdout?.resume();
    await tail.untilStdoutLines(201);
    stdout?.pause();
    await Promise.all(Array.from({ length: 20 }, () => session.post(session.convener, text)));
    tail.process.kill("SIGINT");
    stdout?.resume();
    expect((await tail.ended).code).toBe(130);
    const printed = parseMessages(tail.stdout());
    expect(printed).toEqual((await readFeed(transport, session.sessionId)).slice(0, printed.length));
  });
});

/** Writes a file to the Merkle home, in the format that the commands use. */
async function keep(home: string, folder: string, id: string, value: object): Promise<void> {
  await mkdir(join(home, folder), { recursive: true, mode: 0o700 });
  await writeFile(join(home, folder, `${id}.json`), JSON.stringify(value), { mode: 0o600 });
}

it("[CLI-36] no broker at the first try is exit 3", async () => {
  const { ended } = await startTail("http://127.0.0.1:1", ["any"]);
  expect(await ended).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("can't reach") });
});

it("[CLI-30] no open session is exit 5, with how to get one", async () => {
  const broker = await startTestBroker();
  const { ended } = await startTail(broker.url, []);
  expect(await ended).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/No session is open\.\n.*merkle new <title>.*merkle demo/),
  });
});
