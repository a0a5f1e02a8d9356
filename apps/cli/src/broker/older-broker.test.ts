import { buildNumber } from "@merkle/wire";
import { expect, it, onTestFinished } from "vitest";
import { startTestBroker } from "../../../../tests/kit/test-broker.js";
import { hasCommand } from "../test-kit/has-command.js";
import { testMerkle } from "../test-kit/merkle.js";
import { startOlderBroker } from "../test-kit/older-broker.js";
import { openLiveClient } from "./live-client.js";

/**
 * The fields of sessions, people and health that were introduced together with archives, seals, holds and
 * sizes.
 */
const unknownFields = [
  "archived_at",
  "seal",
  "held",
  "bytes",
  "agent_messages",
  "message_budget",
  "folded",
  "degraded",
  "replica",
];
const note = (build: number) =>
  `This broker is older (build ${build}; this merkle is build ${buildNumber}). The output leaves out what it does not support. Upgrade it on its machine.\n`;

it("[BUILD-3] commands on a broker without newer fields show what it knows, and say once that it is older", async () => {
  const broker = await startTestBroker();
  const older = await startOlderBroker(broker.url, { unknownFields, unknownPaths: /\/archive$/ });
  const merkle = await testMerkle();
  const env = { MERKLE_URL: older };
  const run = (...args: string[]) => merkle.run(args, { env });
  expect(await run("new", "Split auth", "--slug", "split-auth")).toMatchObject({ code: 0 });
  expect(await run("post", "split-auth", "hello")).toMatchObject({ code: 0 });

  const listed = await run("ls");
  expect(listed).toMatchObject({ code: 0, stderr: note(0) });
  expect(listed.stdout).toMatch(/^split-auth +Split auth +.*posted \d+s/);
  const shown = await run("show", "split-auth");
  expect(shown).toMatchObject({ code: 0, stderr: note(0) });
  expect(shown.stdout).toContain("Split auth\nsplit-auth · open since ");
  expect(`${listed.stdout}${shown.stdout}`).not.toMatch(/NaN|undefined|Invalid/);
  for (const command of [
    ["peers", "split-auth"],
    ["status"],
    ["brief", "split-auth"],
    ["tasks", "split-auth"],
  ].filter(hasCommand)) {
    const ended = await run(...command);
    expect([command, ended]).toMatchObject([command, { code: 0, stderr: expect.stringContaining(note(0)) }]);
    expect(ended.stdout).not.toMatch(/NaN|undefined|Invalid/);
  }

  const session = JSON.parse((await run("show", "split-auth", "--json")).stdout);
  expect(session).toMatchObject({ archived_at: null, seal: null, held: null, bytes: 0, slug: "split-auth" });
});

it("[BUILD-3] a request that an older broker does not know says which side is to be upgraded; so does doctor", async () => {
  const broker = await startTestBroker();
  const older = await startOlderBroker(broker.url, {
    unknownFields: [...unknownFields, "time"],
    unknownPaths: /\/(archive|export)\b/,
    build: 0,
  });
  const merkle = await testMerkle();
  const env = { MERKLE_URL: older };
  await merkle.run(["new", "Split auth", "--slug", "split-auth"], { env });
  const advice = `This broker is older (build 0; this merkle is build ${buildNumber}). It may not support this request: upgrade it on its machine.`;
  for (const command of [
    ["archive", "split-auth"],
    ["export", "split-auth"],
    ["verify", "split-auth"],
  ].filter(hasCommand))
    expect([command, await merkle.run(command, { env })]).toMatchObject([
      command,
      { code: 5, stderr: expect.stringContaining(advice) },
    ]);
  const { stdout } = await merkle.run(["doctor"], { env });
  expect(stdout).toContain(`is older (build 0, this is build ${buildNumber})`);
  expect(stdout).toContain("the broker does not report its time");
});

it("[BUILD-2] [BUILD-4] replies carry the build, and a refusal says so if the client is older; a newer broker is not called older", async () => {
  const broker = await startTestBroker();
  const merkle = await testMerkle();
  const newer = await startOlderBroker(broker.url, { unknownFields: [], build: buildNumber + 1 });
  expect(await merkle.run(["ls"], { env: { MERKLE_URL: newer } })).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining("This broker is older"),
  });

  const ask = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(`${broker.url}${path}`, { headers });
    return { build: response.headers.get("merkle-build"), body: await response.json() };
  };
  const build = String(buildNumber);
  expect(await ask("/health", {})).toMatchObject({ build, body: { build: buildNumber } });
  expect(await ask("/api/app-info", {})).toMatchObject({ build, body: { build: buildNumber } });
  const advice = `This client is older (build 0; the broker is build ${buildNumber}): upgrade it.`;
  for (const path of ["/api/no-such-route", "/api/sessions?limit=x"]) {
    const readRefusal = async (headers: Record<string, string>): Promise<string> =>
      (await ask(path, headers)).body.error.message;
    expect(await readRefusal({ "merkle-build": "0" })).toContain(advice);
    for (const headers of [{}, { "merkle-build": build }])
      expect(await readRefusal(headers)).not.toContain("older");
  }
});

it("[BUILD-3] over a WebSocket, too, replies of an older broker are completed", async () => {
  const broker = await startTestBroker();
  const older = await startOlderBroker(broker.url, { unknownFields });
  const merkle = await testMerkle();
  await merkle.run(["new", "Split auth", "--slug", "split-auth"], { env: { MERKLE_URL: broker.url } });
  const builds: number[] = [];
  const reach = {
    home: merkle.home,
    insecure: false,
    ca: undefined,
    mesh: undefined,
    token: undefined,
    onOtherBuild: (build: number) => builds.push(build),
  };
  const client = await openLiveClient({ base: older, source: "--url", reach }, new AbortController().signal);
  onTestFinished(() => client.close());
  const { sessions } = await client.call("list_sessions", {});
  expect(sessions).toMatchObject([{ slug: "split-auth", archived_at: null }]);
  expect(builds).toEqual([0]);
});

it("[BUILD-3] a command that is older than its broker says so once, with the command that updates it", async () => {
  const broker = await startTestBroker();
  const build = buildNumber + 1;
  const newer = await startOlderBroker(broker.url, { unknownFields: [], build });
  const merkle = await testMerkle();
  const ended = await merkle.run(["new", "Split auth"], { env: { MERKLE_URL: newer } });
  expect(ended.code).toBe(0);
  const line = `This merkle command is older than its broker (build ${buildNumber}; the broker is build ${build}). Update it with: merkle upgrade --cli\n`;
  expect(ended.stderr.split(line)).toHaveLength(2);
});
