import { rm } from "node:fs/promises";
import { join } from "node:path";
import { backupDatabase, restoreDatabase } from "@merkle/db";
import { expect, it, onTestFinished } from "vitest";
import { createTestSession, listTexts } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { transports } from "../kit/transports.js";
import { parseMessages, startTail } from "./tailing.js";

/** Backs up the broker's database. `restore` replaces the database with the backup, at the same address. */
async function backUp(broker: TestBroker): Promise<{ restore(): Promise<void> }> {
  const file = join(broker.home, "merkle.backup");
  onTestFinished(() => rm(file, { force: true }));
  await backupDatabase({ target: broker.databaseUrl, file });
  const sql = connectTestDatabase(broker.databaseUrl);
  return {
    restore: () =>
      broker.restartAfter(async () => {
        await sql.unsafe(
          "DROP SCHEMA public CASCADE; CREATE SCHEMA public; DROP SCHEMA merkle_migrations CASCADE",
        );
        await restoreDatabase({ target: broker.databaseUrl, file });
      }),
  };
}

it("[CLI-37] goes on after a restore: people are told what is gone, programs get no number twice", {
  tags: "long",
}, async () => {
  const broker = await startTestBroker();
  const transport = await transports.rest(broker.url);
  const session = await createTestSession(transport);
  await session.post(session.convener, "kept");
  const backup = await backUp(broker);
  await session.post(session.convener, "gone");
  const people = await startTail(broker.url, [session.slug, "--since", "0"]);
  const programs = await startTail(broker.url, [session.slug, "--since", "0", "--json"]);
  await people.untilStdoutLines(2);
  await programs.untilStdoutLines(2);

  await backup.restore();
  await people.untilStderr(
    "The broker's database was restored: #2 to #2 no longer exist; continuing after #1\n",
  );
  await (await transports.rest(broker.url)).call("post_message", {
    session_id: session.sessionId,
    team_id: session.convener,
    content: { text: "another second" },
  });
  await people.untilStdoutLines(3);
  people.process.kill("SIGINT");
  expect((await people.ended).stdout).toMatch(/#1 .*kept\n.*#2 .*gone\n.*#2 .*another second\n$/);

  const { code, stdout, stderr } = await programs.ended;
  expect(code).toBe(6);
  expect(listTexts(parseMessages(stdout))).toEqual(["kept", "gone"]);
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: "resync",
      message:
        "The broker's database was restored: #2 to #2 no longer exist, and their numbers will be used again.",
      details: { after: 1, gone: 1 },
      next: `merkle tail ${session.slug} --since 1 --json`,
    },
  });
});

it("[CLI-37] a restore that takes nothing away from what was printed ends no stream", async () => {
  const broker = await startTestBroker();
  const transport = await transports.rest(broker.url);
  const session = await createTestSession(transport);
  await session.post(session.convener, "kept");
  const backup = await backUp(broker);
  const programs = await startTail(broker.url, [session.slug, "--since", "0", "--json", "--until-closed"]);
  await programs.untilStdoutLines(1);
  await backup.restore();
  const again = await transports.rest(broker.url);
  await again.call("conclude_session", {
    session_id: session.sessionId,
    team_id: session.convener,
    summary_section: "Done.",
  });
  expect(await programs.ended).toMatchObject({ code: 0, stderr: "" });
  expect(parseMessages(programs.stdout()).map(({ sequence }) => sequence)).toEqual([1, 2]);
});
