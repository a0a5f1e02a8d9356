import { type Database, openDatabase } from "@merkle/db";
import { expect, it, onTestFinished } from "vitest";
import { startTestBroker } from "../../../../tests/kit/test-broker.js";
import { transports } from "../../../../tests/kit/transports.js";
import { createSessionDirectory } from "./session-directory.js";

/** Opens a database with some sessions, and counts its queries. */
async function prepare(count: number) {
  const broker = await startTestBroker();
  const transport = await transports.rest(broker.url);
  const slugs: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const title = `Session ${number}`;
    slugs.push((await transport.call("create_session", { title, creator_team_name: "Birch" })).slug);
  }
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
  return { slugs, database: counted, asked: () => asked };
}

it("[LIMIT-1] remembers cachedSessionsMax sessions, and above it drops the one read longest ago, which is read again", async () => {
  const { slugs, database, asked } = await prepare(4);
  const [a = "", b = "", c = "", d = ""] = slugs;
  const directory = createSessionDirectory(database, 3);
  for (const slug of [a, b, c]) expect((await directory.find(slug))?.slug).toBe(slug);
  const before = asked();
  for (const slug of [a, b, c]) expect((await directory.find(slug))?.slug).toBe(slug);
  expect(asked(), "as many as it may hold are remembered").toBe(before);

  expect((await directory.find(d))?.slug).toBe(d);
  const after = asked();
  for (const slug of [b, c, d]) await directory.find(slug);
  expect(asked(), "a was read longest ago").toBe(after);
  expect((await directory.find(a))?.slug).toBe(a);
  expect(asked()).toBeGreaterThan(after);
});

it("[ERR-7] does not ask the database for what cannot be a name", async () => {
  const { database, asked } = await prepare(0);
  const directory = createSessionDirectory(database);
  for (const name of ["", "a b", "a\u0000b", "../x", "%", "x".repeat(101), "💥", "__proto__"]) {
    expect(await directory.find(name)).toBeNull();
  }
  expect(asked()).toBe(0);
});
