import { openDatabase } from "@merkle/db";
import { expect, it, onTestFinished } from "vitest";
import { alone } from "../../../../../tests/kit/alone.js";
import { startTestBroker } from "../../../../../tests/kit/test-broker.js";
import { connectTestDatabase } from "../../../../../tests/kit/test-database.js";
import { transports } from "../../../../../tests/kit/transports.js";
import { createLog } from "../../core/log.js";
import { createCredentials } from "../access/credentials.js";
import { startPresence } from "./presence.js";

it("[CURSOR-8] what could not be saved of a peer is saved at a later sweep, though nobody calls again", async () => {
  const broker = await startTestBroker();
  const transport = await transports.rest(broker.url);
  const { session_id, team_id } = await transport.call("create_session", {
    title: "Saved later",
    creator_team_name: "Birch",
  });
  await transport.call("post_message", { session_id, team_id, content: { text: "one" } });
  await broker.stop();
  const database = await openDatabase({ target: broker.databaseUrl });
  onTestFinished(() => database.close());
  const logged: string[] = [];
  const presence = startPresence({ ...alone, database, log: createLog((line) => logged.push(line)) });
  onTestFinished(() => presence.stop());
  const caller = await createCredentials({ ...alone, database, presence }).verify(session_id, team_id);
  const peer = caller?.team?.peer;
  if (!peer) throw new Error("There is no such peer.");

  const sql = connectTestDatabase(broker.databaseUrl);
  await sql`ALTER TABLE peers RENAME TO away`;
  void presence.advance(peer, { type: "acknowledged", cursor: 1, skipped: 0, durable: false });
  await expect.poll(() => logged.join("\n")).toContain("Saving read cursors failed");
  await sql`ALTER TABLE away RENAME TO peers`;
  presence.sweep(new Date(), { active_within_s: 60, disconnected_after_s: 600 });
  await expect.poll(() => peer.cursors.ackedSaved).toBe(1);
  expect(await sql`SELECT acked::int FROM peers`).toEqual([{ acked: 1 }]);
});
