import { existsSync, readdirSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { makeTestHome } from "../../../../packages/db/src/embedded/test-support.js";
import { createCleanup } from "../../../../tests/kit/cleanup.js";
import { connectTestDatabase, createTestDatabase } from "../../../../tests/kit/test-database.js";
import { callBroker } from "../test-kit/api.js";
import { hasCommand } from "../test-kit/has-command.js";
import { type TestMerkle, testMerkle } from "../test-kit/merkle.js";

const cleanup = createCleanup();
let merkle: TestMerkle;
let databaseUrl: string;
let url: string;

beforeAll(async () => {
  databaseUrl = await createTestDatabase(cleanup);
  merkle = await testMerkle(cleanup);
  const { code, stderr } = await merkle.run(["up", "--port", "0", "--detach"], {
    env: { DATABASE_URL: databaseUrl },
  });
  if (code !== 0) throw new Error(stderr);
  ({ url } = await merkle.readRunFile());
  const call = { creator_team_name: "Atlas" };
  const { team_id } = await callBroker(merkle, "create_session", { ...call, title: "Over", slug: "over" });
  await callBroker(merkle, "conclude_session", { session_id: "over", summary_section: "Done." }, team_id);
  await callBroker(merkle, "create_session", { ...call, title: "Going on", slug: "going-on" });
});

/** Counts the rows in every table that creating a person would change. */
async function countAll(): Promise<Record<string, number>> {
  const sql = connectTestDatabase(databaseUrl);
  const tables = ["persons", "person_reads", "teams", "peers", "sessions", "messages", "further_secrets"];
  const counts = tables.map((name) => `(SELECT count(*)::int FROM ${name}) AS ${name}`);
  const [row] = await sql.unsafe<Record<string, number>[]>(`SELECT ${counts.join(", ")}`);
  return row ?? {};
}

function personsIn(home: string): string[] {
  return existsSync(join(home, "persons")) ? readdirSync(join(home, "persons")) : [];
}

/** Returns only the calls whose commands exist in this build. */
function keepKnown(calls: readonly (readonly string[])[]) {
  return calls.filter(hasCommand);
}

/** Calls whose input passes the command's checks but is refused by the broker. */
const refused = keepKnown([
  ["post", "going-on", "hello", "--to", "Nobody"],
  ["post", "going-on", "hello", "--reply-to", "999"],
  ["post", "over", "hello"],
  ["nudge", "going-on", "Nobody"],
  ["task", "done", "going-on", "99"],
  ["task", "claim", "going-on", "99"],
  ["task", "block", "going-on", "99", "98"],
  ["task", "add", "going-on", "Test it", "--after", "99"],
  ["claims", "going-on", "--release", "99"],
  ["approvals", "allow", "99"],
  ["new", "Another", "--slug", "over"],
  ["rename", "over", "Another", "--reason", "why not"],
  ["conclude", "over", "Done twice."],
  ["hold", "over"],
  ["redact", "going-on", "999", "-y"],
  ["doc", "append", "over", "- more"],
  ["doc", "comment", "going-on", "Why?", "--quote", "what nobody wrote"],
  ["doc", "reply", "going-on", "99", "Because."],
  ["doc", "accept", "going-on", "99", "-y"],
  ["doc", "reject", "going-on", "99", "No."],
  ["state", "set", "over", "frozen", "true"],
  ["forget", "mem_99"],
  ["jobs", "run", "going-on", "incorporate", "--topic", "99"],
  ["jobs", "cancel", "99"],
  ["person", "export"],
  ["person", "erase", "me", "-y"],
  ["config", "set", "idle_polls", "-4"],
]);

describe("a command that is refused leaves nobody behind", () => {
  it("[CLI-11] [PERSON-15] on the broker's own home, whose person would be verified", {
    tags: "long",
  }, async () => {
    const before = await countAll();
    for (const args of refused) {
      const { code, stdout, stderr } = await merkle.run(args, { input: "" });
      expect({ args, code: code === 0 ? 0 : "not 0", stdout, after: await countAll() }, stderr).toEqual({
        ...{ args, code: "not 0", stdout: "", after: before },
      });
      expect(personsIn(merkle.home)).toEqual([]);
    }
  });

  it("[CLI-11] [PERSON-15] on another home, whose person would be a guest", { tags: "long" }, async () => {
    const { path: home, remove } = await makeTestHome();
    cleanup(remove);
    const before = await countAll();
    // A guest may not answer permission prompts, hold sessions or redact other people's messages.
    const guests = keepKnown([["approvals"], ["hold", "going-on"], ["redact", "going-on", "1", "-y"]]);
    for (const args of [...refused, ...guests]) {
      const { code, stdout, stderr } = await merkle.run(args, {
        input: "",
        env: { MERKLE_HOME: home, MERKLE_URL: url },
      });
      expect({ args, code: code === 0 ? 0 : "not 0", stdout, after: await countAll() }, stderr).toEqual({
        ...{ args, code: "not 0", stdout: "", after: before },
      });
      expect(personsIn(home)).toEqual([]);
    }
  });
});

describe("the first write that is done", () => {
  const first = keepKnown([
    ["post", "going-on", "hello"],
    ["new", "By a new person"],
    ["task", "add", "going-on", "Test it"],
    ["doc", "append", "going-on", "- more"],
    ["doc", "comment", "going-on", "Why?"],
    ["state", "set", "going-on", "frozen", "true"],
    ["remember", "Tokens rotate."],
    ["nudge", "going-on", "Atlas"],
    ["hold", "going-on"],
    ["progress", "log", "Done", "How it was.", "--project", "payments"],
  ]);

  it("[CLI-11] [PERSON-15] makes one person, verified on the broker's own home, by whatever command", async () => {
    for (const args of first) {
      await rm(join(merkle.home, "persons"), { recursive: true, force: true });
      const { persons = 0 } = await countAll();
      const { code, stderr } = await merkle.run(args, { input: "" });
      expect({ args, code, persons: (await countAll())["persons"] }, stderr).toEqual({
        ...{ args, code: 0, persons: persons + 1 },
      });
      const [file = ""] = personsIn(merkle.home);
      const kept = JSON.parse(await readFile(join(merkle.home, "persons", file), "utf8"));
      expect(kept).toMatchObject({ verified: true });
      expect(await callBroker(merkle, "get_person", {}, kept.credential)).toMatchObject({
        ...{ name: kept.name, verified: true },
      });
    }
  });

  it("[CLI-11] [PERSON-15] of a member is the member's, who is nobody before, and one on two machines", {
    tags: "long",
  }, async () => {
    const member = await testMerkle(cleanup);
    const up = await member.run(["up", "--port", "0", "--detach", "--auth", "invite"]);
    const [invite = ""] = /\S+\/join#\S+/.exec(up.stdout) ?? [];
    expect((await member.run(["join", "-", "--name", "Ana"], { input: invite })).code, up.stdout).toBe(0);
    const { slug } = await callBroker(member, "create_session", {
      title: "Of members",
      creator_team_name: "A",
    });
    expect((await member.run(["post", slug, "x", "--to", "Nobody"])).code).toBe(5);
    expect(personsIn(member.home)).toEqual([]);
    for (const text of ["one", "two"]) {
      // Remove the stored person to simulate a second machine, which gets another credential for the same
      // person.
      await rm(join(member.home, "persons"), { recursive: true, force: true });
      expect((await member.run(["post", slug, text])).code).toBe(0);
    }
    const { participants } = await callBroker(member, "list_participants", { session_id: slug });
    expect(participants.map(({ team_name }) => team_name)).toEqual(["A", "Ana"]);
  });
});
