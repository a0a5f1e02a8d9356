import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { limits } from "@merkle/wire/limits";
import { expect, onTestFinished } from "vitest";
import { openHttpClient } from "../kit/http-client.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { itOnOneBroker } from "../kit/test-broker.js";
import { connectTestDatabase, createTestDatabase } from "../kit/test-database.js";
import { transports } from "../kit/transports.js";
import { startBrokerProcess } from "./broker-process.js";

/** Fewer descriptors than Node.js itself keeps open, so no file can be opened even if others are closed. */
const tooFew = 10;

/** Limits how many files a process may have open. Files that are already open stay open. */
async function allowDescriptors(pid: number, descriptors: number): Promise<void> {
  await promisify(execFile)("prlimit", ["--pid", String(pid), `--nofile=${descriptors}:`]);
}

itOnOneBroker("a node has descriptors of its own, and a proxy goes to the others")(
  "[DB-4] [OPS-2] a connection to the database for which no file descriptor is free counts as lost: tried again, answered 503, and taken up when there is one",
  { tags: ["long", "linux"] },
  async () => {
    const databaseUrl = await createTestDatabase();
    const sql = connectTestDatabase(databaseUrl);
    const home = await mkdtemp(join(tmpdir(), "merkle-few-"));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    let death: string | null = null;
    const broker = await startBrokerProcess({ home, databaseUrl }, (how) => {
      death = how;
    });
    onTestFinished(broker.stop);
    // Both clients keep their existing connection, because the broker cannot accept a new connection during the test.
    const transport = await transports.websocket(broker.url);
    onTestFinished(transport.close);
    const http = openHttpClient();
    onTestFinished(async () => http.close());
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const post = (text: string) =>
      http.send(`${broker.url}/api/sessions/${session_id}/messages`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-team-id": team_id },
        body: JSON.stringify({ content: { text } }),
      });
    expect((await post("before")).status).toBe(200);

    await allowDescriptors(broker.pid, tooFew);
    await sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    const begun = performance.now();
    const [posted, failure] = await Promise.all([
      post("meanwhile"),
      expectFailure(transport.call("append_to_session_doc", { session_id, team_id, text: "meanwhile" })),
    ]);
    expect(JSON.parse(posted.text).error).toMatchObject({ code: "unavailable" });
    expect([posted.status, failure.code]).toEqual([503, "unavailable"]);
    expect(performance.now() - begun).toBeGreaterThan(limits.unknownOutcomeMsMax);
    const health = await http.send(`${broker.url}/health`);
    expect([health.status, JSON.parse(health.text).problem]).toEqual([503, "connections"]);

    const later = post("after");
    await allowDescriptors(broker.pid, 4_096);
    expect((await later).status).toBe(200);
    await expect.poll(async () => (await http.send(`${broker.url}/health`)).status).toBe(200);
    expect(broker.logged.join("\n")).toContain("EMFILE");
    expect(death).toBeNull();
  },
);
