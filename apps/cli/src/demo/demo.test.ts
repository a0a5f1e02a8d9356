import { once } from "node:events";
import { mkdir, readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { findProcesses } from "../../../../tests/kit/processes.js";
import { startTestBroker } from "../../../../tests/kit/test-broker.js";
import { createBrokerClient } from "../broker/broker-client.js";
import { type Started, type TestMerkle, testMerkle } from "../test-kit/merkle.js";

const title = "Short-lived login tokens";
const newTitle = `${title}, old apps in March`;
/** What two teams and a human do in the demo. */
const messages = 15;

type Call = <Name extends OperationName>(name: Name, input: InputOf<Name>) => Promise<OutputOf<Name>>;

function callerOf(base: string): Call {
  return createBrokerClient({ base, source: "--url" }, new AbortController().signal).call;
}

/** A port where nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

describe("merkle demo as a visitor", () => {
  it("[DEMO-6] shows the room up to its question, says where to answer, and leaves the session open with it", {
    tags: "long",
  }, async () => {
    const { url } = await startTestBroker({ demoPace: 0 });
    const merkle = await testMerkle();
    const { code, stdout, stderr } = await merkle.start(["demo", "--url", url]).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("We disagree") });
    expect(stderr).toContain("/sessions/short-lived-login-tokens?mesh=demo");
    const again = await merkle.start(["demo", "--url", url, "--json"]).ended;
    const { session_id, mesh, ask } = JSON.parse(again.stdout);
    expect(ask.options).toHaveLength(3);
    const headers = { "x-merkle-mesh": mesh };
    const session = await (await fetch(`${url}/api/sessions/${session_id}`, { headers })).json();
    expect(session).toMatchObject({ status: "active" });
  });
});

it("[DEMO-7] where a mesh is empty, status, ls and inbox name the demo's room", async () => {
  const { url } = await startTestBroker({});
  const merkle = await testMerkle();
  const about = async (command: string) => (await merkle.run([command, "--url", url])).stderr;
  for (const command of ["status", "ls", "inbox"]) expect(await about(command)).not.toContain("demo's room");
  const { session } = await callerOf(url)("open_demo_room", {});
  for (const command of ["status", "ls", "inbox"])
    expect(await about(command)).toContain(
      `the demo's room is open: merkle --url ${url} tail ${session} --mesh demo`,
    );
  const there = await merkle.run(["ls", "--url", url, "--mesh", "demo"]);
  expect(there).toMatchObject({ stdout: expect.stringContaining(session), stderr: "" });
});

describe("merkle demo on a broker that runs", () => {
  let url = "";
  let call: Call = () => Promise.reject(new Error("no broker yet"));

  beforeAll(async () => {
    const cleanups: (() => unknown)[] = [];
    const broker = await startTestBroker({}, (cleanup) => void cleanups.push(cleanup));
    url = broker.url;
    call = callerOf(url);
    return async () => {
      for (const cleanup of cleanups.toReversed()) await cleanup();
    };
  });

  const demo = (merkle: TestMerkle, ...args: string[]) =>
    merkle.start(["demo", "--once", "--url", url, ...args]);

  /** Starts a demo, and resolves when it has opened its session. */
  async function beginDemo(...args: string[]): Promise<{ running: Started; session_id: string }> {
    const known = (await call("list_sessions", {})).sessions.map((each) => each.session_id);
    const running = demo(await testMerkle(), ...args);
    const session_id = await vi.waitUntil(async () => {
      const { sessions } = await call("list_sessions", {});
      return sessions.find((each) => !known.includes(each.session_id))?.session_id;
    }, 120_000);
    return { running, session_id };
  }

  /** Two agents and a human, each there once, and a document that all wrote together. */
  async function expectThreeAtWork(session_id: string): Promise<void> {
    const { participants } = await call("list_participants", { session_id });
    expect(participants.map(({ team_name, kind, convener }) => ({ team_name, kind, convener }))).toEqual([
      { team_name: "Atlas", kind: "agent", convener: true },
      { team_name: "Birch", kind: "agent", convener: false },
      { team_name: "Ana", kind: "guest", convener: false },
    ]);
    const { versions } = await call("list_doc_versions", { session_id });
    expect(versions.map(({ written_by }) => written_by).reverse()).toEqual([
      "Atlas",
      "Atlas",
      "Birch",
      "Atlas",
      "Birch",
      "Atlas",
    ]);
    const { content } = await call("read_session_doc", { session_id });
    expect(content).toContain("- An access token lives for 15 minutes");
    expect(content).toContain("- A call that answers 401 renews once");
    expect(content).toContain("- Apps before 4.2 keep their 30-day tokens");
    expect(content).not.toContain("writes here");
  }

  it("[DEMO-1] shows two teams and a human at work, the document, and what to do next", async () => {
    const merkle = await testMerkle();
    const { code, stdout, stderr } = await demo(merkle, "--pace", "0").ended;
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(`merkle --url ${url} tail short-lived-login-tokens --since 0`),
    });
    expect(stderr).toContain(url);
    expect(stderr).toContain(`merkle --url ${url} launch --session`);

    const shown = [
      "Birch joined",
      "#2 Atlas → everyone  Hello Birch.",
      "document v1 by Atlas, +9 −0",
      "We wrote at the same time",
      "Ana joined",
      "#9 Ana (guest) → everyone  Ana from support",
      `#13 · Atlas renamed the session: "${title}" → "${newTitle}" (3 %`,
      "concluded by Atlas, document v6",
      "\n  ## Conclusion\n",
      "✓ 15 messages without a gap",
      "✓ document v6",
    ];
    let place = -1;
    for (const text of shown) {
      expect(stdout.slice(place + 1)).toContain(text);
      place = stdout.indexOf(text, place + 1);
    }
    expect(await findProcesses(`--url ${url}`)).toEqual([]);
  });

  it("[DEMO-2] uses a session of its own each time, and [CLI-3] gives one document with --json", async () => {
    const merkle = await testMerkle();
    const ended = await Promise.all([0, 1].map(() => demo(merkle, "--pace", "0", "--json").ended));
    const played = ended.map(({ code, stdout, stderr }) => {
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/^.+\n$/);
      return JSON.parse(stdout);
    });
    expect(new Set(played.map(({ session_id }) => session_id)).size).toBe(2);
    for (const each of played) {
      const { session_id } = each;
      const session = await call("get_session", { session_id });
      expect(session).toMatchObject({ status: "closed", title: newTitle, last_sequence: messages });
      expect(each).toEqual({
        session_id,
        slug: session.slug,
        title: newTitle,
        messages,
        document_version: session.document_version,
        seconds: expect.any(Number),
        url,
      });
      await expectThreeAtWork(session_id);
    }
  });

  it("[DEMO-3] goes on when a guest joins and talks", { tags: "long" }, async () => {
    const { running, session_id } = await beginDemo("--pace", "0.4");
    const { team_id } = await call("join_session", { session_id, team_name: "Cedar" });
    await call("post_message", { session_id, team_id, content: { text: "May I listen?" } });
    await running.says("May I listen?");
    await running.says("#4 ");
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130, stderr: "" });
  });

  it.each([
    [[], /^✗ The demo went wrong\. Expected .*; instead came #\d+, session_concluded by Cedar\.\n/],
    [["--json"], /^\{"error":\{"code":"demo_failed","message":"The demo went wrong\. Expected/],
  ])("[DEMO-3] fails, and says what came, when somebody else ends the session (%j)", async (flags, said) => {
    const { running, session_id } = await beginDemo(...flags);
    const { team_id } = await call("join_session", { session_id, team_name: "Cedar" });
    await call("conclude_session", { session_id, team_id, summary_section: "Enough." });
    const { code, stdout, stderr } = await running.ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(said) });
    if (flags.includes("--json")) expect(stdout).toBe("");
    expect(await findProcesses(session_id)).toEqual([]);
  });

  it("[DEMO-3] fails when one of the three is killed, and names it", { tags: "long" }, async () => {
    const { running, session_id } = await beginDemo();
    await running.says("#1 ");
    const playing = await findProcesses(session_id);
    const birch = playing.find(({ args }) => args.includes("--role birch"));
    if (!birch) throw new Error("Birch does not run.");
    process.kill(birch.pid, "SIGKILL");
    expect(await running.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("✗ Birch ended unexpectedly (SIGKILL)."),
    });
    expect(await findProcesses(session_id)).toEqual([]);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGKILL", null],
  ] as const)("[DEMO-5] leaves no process behind after %s", async (signal, code) => {
    const { running, session_id } = await beginDemo();
    await running.says("#1 ");
    expect((await findProcesses(session_id)).length).toBe(2);
    running.process.kill(signal);
    expect(await running.ended).toMatchObject({ code, stderr: "" });
    await expect.poll(() => findProcesses(`--url ${url}`)).toEqual([]);
  });
});

describe("merkle demo without a broker", () => {
  /** A home for everything temporary of one test, and a port where no broker answers. */
  async function alone(): Promise<{ merkle: TestMerkle; tmp: string; env: Record<string, string> }> {
    const merkle = await testMerkle();
    const tmp = join(merkle.home, "tmp");
    await mkdir(tmp, { mode: 0o711 });
    return { merkle, tmp, env: { TMPDIR: tmp, MERKLE_PORT: String(await freePort()) } };
  }

  async function nothingIsLeft(tmp: string): Promise<void> {
    await expect.poll(() => readdir(tmp)).toEqual([]);
    await expect.poll(() => findProcesses(tmp)).toEqual([]);
  }

  it("[DEMO-4] starts a broker of its own, says so, and removes it at the end", {
    tags: "long",
  }, async () => {
    const { merkle, tmp, env } = await alone();
    const { code, stdout, stderr } = await merkle.run(["demo", "--once", "--pace", "0"], { env });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^No broker runs at http:\/\/localhost:\d+: starting one/),
    });
    expect(stdout).toContain("✓ 15 messages without a gap");
    expect(stderr).toContain("merkle up");
    await nothingIsLeft(tmp);
    expect(await readdir(merkle.home)).toEqual(["tmp"]);
  });

  it("[DEMO-4] --keep leaves that broker running until Ctrl+C", { tags: "long" }, async () => {
    const { merkle, tmp, env } = await alone();
    const running = merkle.start(["demo", "--once", "--pace", "0", "--keep", "--json"], { env });
    const { url, session_id } = JSON.parse(await firstLineOf(running));
    expect(await callerOf(url)("get_session", { session_id })).toMatchObject({ status: "closed" });
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
    await nothingIsLeft(tmp);
  });

  it("[DEMO-7] where only that broker runs, status, ls, inbox and down name it", {
    tags: "long",
  }, async () => {
    const { merkle, env } = await alone();
    const running = merkle.start(["demo", "--once", "--pace", "0", "--keep", "--json"], { env });
    const { url } = JSON.parse(await firstLineOf(running));
    for (const command of ["status", "ls", "inbox"])
      expect(await merkle.start([command], { env }).ended).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(
          new RegExp(`Only the demo's broker runs here, at ${url}\\.\n +try: .*ls --url ${url} --mesh demo`),
        ),
      });
    expect(await merkle.start(["down"], { env }).ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`The demo's broker runs at ${url}; Ctrl+C`),
    });
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 0 });
  });

  it("[DEMO-5] ends that broker, too, when it is killed", { tags: "long" }, async () => {
    const { merkle, tmp, env } = await alone();
    const running = merkle.start(["demo", "--once"], { env });
    await running.says("#1 ");
    expect(await findProcesses(tmp)).not.toEqual([]);
    running.process.kill("SIGKILL");
    await running.ended;
    await nothingIsLeft(tmp);
  });

  it("[DEMO-5] can be interrupted while that broker starts", { tags: "long" }, async () => {
    const { merkle, tmp, env } = await alone();
    const running = merkle.start(["demo", "--once"], { env });
    await expect.poll(() => findProcesses(tmp)).not.toEqual([]);
    running.process.kill("SIGINT");
    expect((await running.ended).code).toBe(130);
    await nothingIsLeft(tmp);
  });

  it("[DEMO-4] does not start one where an address is given that nobody answers", async () => {
    const { merkle, env } = await alone();
    const url = `http://127.0.0.1:${env["MERKLE_PORT"]}`;
    for (const [args, given] of [
      [["--url", url], {}],
      [[], { MERKLE_URL: url }],
    ] as const) {
      expect(await merkle.run(["demo", "--once", ...args], { env: given })).toMatchObject({
        code: 3,
        stdout: "",
        stderr: expect.stringContaining("refused"),
      });
    }
  });
});

/** What a command that goes on prints first. */
async function firstLineOf({ process: { stdout } }: Started): Promise<string> {
  if (!stdout) throw new Error("It was started without a pipe.");
  const [line] = await once(createInterface({ input: stdout }), "line");
  return String(line);
}
