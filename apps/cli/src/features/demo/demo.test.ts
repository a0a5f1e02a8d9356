import { once } from "node:events";
import { mkdir, readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import { describe, expect, it } from "vitest";
import { findProcesses } from "../../../../../tests/kit/processes.js";
import { startTestBroker } from "../../../../../tests/kit/test-broker.js";
import { createBrokerClient } from "../../broker/broker-client.js";
import { type TestMerkle, testMerkle } from "../../test-kit/merkle.js";

type Call = <Name extends OperationName>(name: Name, input: InputOf<Name>) => Promise<OutputOf<Name>>;

function createCaller(base: string): Call {
  return createBrokerClient({ base, source: "--url" }, new AbortController().signal).call;
}

/** Returns a port on which no process listens. */
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
  const { session } = await createCaller(url)("open_demo_room", {});
  for (const command of ["status", "ls", "inbox"])
    expect(await about(command)).toContain(
      `the demo's session is still open: merkle --url ${url} tail ${session} --mesh demo`,
    );
  const there = await merkle.run(["ls", "--url", url, "--mesh", "demo"]);
  expect(there).toMatchObject({ stdout: expect.stringContaining(session), stderr: "" });
});

describe("merkle demo without a broker", () => {
  /**
   * Creates a home and a folder for all temporary files of a test, and picks a port on which no broker
   * listens.
   */
  async function createIsolatedHome(): Promise<{
    merkle: TestMerkle;
    tmp: string;
    env: Record<string, string>;
  }> {
    const merkle = await testMerkle();
    const tmp = join(merkle.home, "tmp");
    await mkdir(tmp, { mode: 0o711 });
    return { merkle, tmp, env: { TMPDIR: tmp, MERKLE_PORT: String(await freePort()) } };
  }

  async function expectNothingLeft(tmp: string): Promise<void> {
    await expect.poll(() => readdir(tmp)).toEqual([]);
    await expect.poll(() => findProcesses(tmp)).toEqual([]);
  }

  it("[DEMO-4] [DEMO-7] starts a broker of its own, which status, ls, inbox and down name, and removes it at the end", {
    tags: "long",
  }, async () => {
    const { merkle, tmp, env } = await createIsolatedHome();
    const running = merkle.start(["demo"], { env });
    await running.waitForOutput("Two scripted agents argue at ");
    const name = /The demo's broker runs at (\S+); Ctrl\+C/;
    const { code, stderr } = await merkle.start(["down"], { env }).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(name) });
    const [, url] = name.exec(stderr) ?? [];
    for (const command of ["status", "ls", "inbox"])
      expect(await merkle.start([command], { env }).ended).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(
          new RegExp(`Only the demo's broker runs here, at ${url}\\.\n +try: .*ls --url ${url} --mesh demo`),
        ),
      });
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/^No broker runs at http:\/\/localhost:\d+: starting one/),
    });
    await expectNothingLeft(tmp);
    expect(await readdir(merkle.home)).toEqual(["tmp"]);
  });

  it("[DEMO-5] ends that broker, too, when it is killed", async () => {
    const { merkle, tmp, env } = await createIsolatedHome();
    const running = merkle.start(["demo"], { env });
    await running.waitForOutput("Two scripted agents argue at ");
    expect(await findProcesses(tmp)).not.toEqual([]);
    running.process.kill("SIGKILL");
    await running.ended;
    await expectNothingLeft(tmp);
  });

  it("[DEMO-5] can be interrupted while that broker starts", { tags: "long" }, async () => {
    const { merkle, tmp, env } = await createIsolatedHome();
    const running = merkle.start(["demo"], { env });
    await expect.poll(() => findProcesses(tmp)).not.toEqual([]);
    running.process.kill("SIGINT");
    expect((await running.ended).code).toBe(130);
    await expectNothingLeft(tmp);
  });

  it("[DEMO-4] does not start one where an address is given that nobody answers", async () => {
    const { merkle, env } = await createIsolatedHome();
    const url = `http://127.0.0.1:${env["MERKLE_PORT"]}`;
    for (const [args, given] of [
      [["--url", url], {}],
      [[], { MERKLE_URL: url }],
    ] as const) {
      expect(await merkle.run(["demo", ...args], { env: given })).toMatchObject({
        code: 3,
        stdout: "",
        stderr: expect.stringContaining("refused"),
      });
    }
  });
});
