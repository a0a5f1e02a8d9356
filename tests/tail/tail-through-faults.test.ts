import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@merkle/wire/client";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { startBrokerProcess } from "../faults/broker-process.js";
import { createTestSession, type TestSession } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { createTestDatabase } from "../kit/test-database.js";
import { transports } from "../kit/transports.js";
import { parseMessages, readFeed, startTail } from "./tailing.js";
import { startTcpProxy } from "./tcp-proxy.js";

/** Posts as several teams until stopped, regardless of faults. `stop` returns the number of posts. */
async function startPosters(url: string, session: TestSession): Promise<{ stop(): Promise<number> }> {
  const teams = await Promise.all(["Birch", "Cedar", "Dune"].map((name) => session.join(name)));
  const client = connect({ url, WebSocket, retry: { capMs: 200 } });
  onTestFinished(() => client.close());
  let stopped = false;
  const posters = teams.map(async ({ credential }) => {
    let posted = 0;
    while (!stopped) {
      posted += 1;
      const content = { text: `${posted}: what\nothers may say` };
      await client.call("post_message", { session_id: session.sessionId, team_id: credential, content });
    }
    return posted;
  });
  // If the test fails early, its cleanup closes the client and these posts reject.
  for (const poster of posters) poster.catch(() => undefined);
  return {
    async stop() {
      stopped = true;
      return (await Promise.all(posters)).reduce((sum, each) => sum + each, 0);
    },
  };
}

it("[CLI-31] tail --json is whole and without a hole or repeat through three kills of the broker", {
  tags: "long",
}, async () => {
  const home = await mkdtemp(join(tmpdir(), "merkle-tail-"));
  await chmod(home, 0o711);
  const databaseUrl = await createTestDatabase();
  const deaths: string[] = [];
  const broker = await startBrokerProcess({ home, databaseUrl }, (how) => deaths.push(how));
  onTestFinished(async () => {
    await broker.kill();
    await rm(home, { recursive: true, force: true });
  });
  const transport = await transports.rest(broker.url);
  const session = await createTestSession(transport);
  const tail = await startTail(broker.url, [session.slug, "--json", "--since", "0", "--until-closed"]);
  const posters = await startPosters(broker.url, session);

  let lines = 0;
  for (let kills = 0; kills < 3; kills += 1) {
    await tail.untilStdoutLines(lines + 20);
    await broker.kill();
    lines = tail.stdout().split("\n").length;
    await broker.start();
  }
  await tail.untilStdoutLines(lines + 20);
  const posted = await posters.stop();
  const again = await transports.rest(broker.url);
  await again.call("conclude_session", {
    session_id: session.sessionId,
    team_id: session.convener,
    summary_section: "Done.",
  });

  expect(await tail.ended).toMatchObject({ code: 0, stderr: "" });
  const printed = parseMessages(tail.stdout());
  expect(printed.map(({ sequence }) => sequence)).toEqual(printed.map((_, index) => index + 1));
  expect(printed).toEqual(await readFeed(again, session.sessionId));
  expect(printed.filter(({ type }) => type === "chat")).toHaveLength(posted);
  expect(deaths).toEqual([]);
});

it("[CLI-31] tail --json is whole through a network that is cut, stalls and comes back; [CLI-36] people are told", async () => {
  const broker = await startTestBroker({ heartbeatMs: 500 });
  const network = await startTcpProxy(broker.port);
  const transport = await transports.rest(broker.url);
  const session = await createTestSession(transport);
  const flags = [session.slug, "--since", "0", "--until-closed"];
  const tail = await startTail(network.url, [...flags, "--json"]);
  const seen = await startTail(network.url, flags);
  const posters = await startPosters(broker.url, session);

  async function goesOn(): Promise<void> {
    const lines = tail.stdout().split("\n").length;
    await tail.untilStdoutLines(lines + 20);
  }
  await seen.untilStderr(/^connected, /);
  await goesOn();
  network.cutAll();
  await goesOn();
  // The silence timeout applies only to open connections. Opening a connection has its own timeout.
  await seen.untilStderr(/^reconnected[;,] /m);
  network.mode = "stall";
  await seen.untilStderr(/the broker was silent for 1000 ms/);
  network.mode = "cut";
  network.cutAll();
  await seen.untilStderr(/attempt \d+ in \d+s/);
  network.mode = "pass";
  await goesOn();
  await seen.untilStderr(/attempt \d+ in \d+s.*\n(?:.*\n)*reconnected; [1-9]\d* missed, shown from #\d+\n/);
  const posted = await posters.stop();
  await transport.call("conclude_session", {
    session_id: session.sessionId,
    team_id: session.convener,
    summary_section: "Done.",
  });

  expect(await tail.ended).toMatchObject({ code: 0, stderr: "" });
  const printed = parseMessages(tail.stdout());
  expect(printed).toEqual(await readFeed(transport, session.sessionId));
  expect(printed.filter(({ type }) => type === "chat")).toHaveLength(posted);
  const { code, stdout } = await seen.ended;
  expect(code).toBe(0);
  expect(stdout.match(/^\S+ #\d+/gm)).toHaveLength(printed.length);
});
