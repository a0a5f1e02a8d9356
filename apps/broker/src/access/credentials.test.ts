import { type Database, openDatabase } from "@merkle/db";
import { expect, it, onTestFinished } from "vitest";
import { doors } from "../../../../tests/kit/doors.js";
import { startTestBroker } from "../../../../tests/kit/test-broker.js";
import { createLog } from "../log.js";
import { startPresence } from "../roster/presence.js";
import { createCredentials } from "./credentials.js";

it("[LIMIT-1] remembers cachedCredentialsMax credentials, and above it drops the longest unused, which is read again", async () => {
  const broker = await startTestBroker();
  const door = await doors.rest(broker.url);
  const { session_id, team_id } = await door.call("create_session", {
    title: "Cached",
    creator_team_name: "A",
  });
  const join = async (team_name: string) =>
    (await door.call("join_session", { session_id, team_name })).team_id;
  const [a, b, c, d] = [team_id, await join("B"), await join("C"), await join("D")];

  const database = await openDatabase({ target: broker.databaseUrl });
  onTestFinished(() => database.close());
  let asked = 0;
  const counted: Pick<Database, "orm" | "meshId"> = {
    meshId: database.meshId,
    get orm() {
      asked += 1;
      return database.orm;
    },
  };
  const presence = startPresence({ database, log: createLog(() => undefined) });
  onTestFinished(() => presence.stop());
  const credentials = createCredentials({ database: counted, presence, cachedMax: 3 });
  const nameOf = async (credential: string) => (await credentials.verify(session_id, credential))?.team?.name;

  for (const [credential, name] of [
    [a, "A"],
    [b, "B"],
    [c, "C"],
    [a, "A"],
  ] as const) {
    expect(await nameOf(credential)).toBe(name);
  }
  expect(asked, "as many as it may hold are remembered").toBe(3);

  expect(await nameOf(d)).toBe("D");
  for (const credential of [a, c, d]) await nameOf(credential);
  expect(asked, "B was unused for longest").toBe(4);
  expect(await nameOf(b)).toBe("B");
  expect(asked).toBe(5);
});
