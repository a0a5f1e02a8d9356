import { randomUUID } from "node:crypto";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { saveStoredPeer, toOwnPeer, toStoredPeer, toStoredPeerId } from "../home/stored-peers.js";
import { callBroker } from "../test-kit/api.js";
import { setUpSharedMerkle } from "../test-kit/shared-merkle.js";

const merkle = setUpSharedMerkle();

async function teamsOf(slug: string) {
  return (await callBroker(merkle, "list_participants", { session_id: slug })).participants;
}

async function eventsOf(slug: string): Promise<unknown[]> {
  const { messages } = await callBroker(merkle, "get_history", { session_id: slug });
  return messages.map((each) => each.content["event"] ?? `${each.from?.team}: ${each.content["text"]}`);
}

async function makeSession(title: string) {
  return callBroker(merkle, "create_session", { title, creator_team_name: "Ana" });
}

describe("a person at the terminal", () => {
  afterEach(async () => {
    await rm(join(merkle.home, "persons"), { recursive: true, force: true });
    await rm(join(merkle.home, "config.json"), { force: true });
  });

  it("[CLI-11] writes as one human team of a session, for ever the same, numbered when the name is taken", async () => {
    await merkle.run(["config", "set", "name", "Ana", "--local"]);
    const { slug } = await makeSession("Human");
    for (const text of ["one", "two"]) expect((await merkle.run(["post", slug, text])).code).toBe(0);
    await merkle.run(["doc", "append", slug, "- three"]);
    expect(await eventsOf(slug)).toEqual(["team_joined", "Ana (2): one", "Ana (2): two"]);
    const humans = (await teamsOf(slug)).filter((each) => each.kind === "human");
    expect(humans).toMatchObject([{ team_name: "Ana (2)" }]);
  });

  it("[CLI-11] reading makes nobody; the first write keeps the credential where only its owner can read it", async () => {
    const { slug } = await makeSession("Read only");
    for (const args of [["ls"], ["show", slug], ["doc", "show", slug]]) await merkle.run(args);
    await expect(readdir(join(merkle.home, "persons"))).rejects.toThrow("ENOENT");
    const posted = await merkle.run(["post", slug, "hello", "-v"]);
    const [file = ""] = await readdir(join(merkle.home, "persons"));
    const path = join(merkle.home, "persons", file);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(merkle.home, "persons"))).mode & 0o777).toBe(0o700);
    const { credential, mesh_id } = JSON.parse(await readFile(path, "utf8"));
    expect(file).toBe(`${mesh_id}.json`);
    expect(posted.stdout + posted.stderr).not.toContain(credential);
  });

  it("[CLI-11] two first writes at once are of one person", async () => {
    const { slug } = await makeSession("At once");
    const ended = await Promise.all(["a", "b", "c"].map((text) => merkle.run(["post", slug, text])));
    expect(ended.map((each) => each.code)).toEqual([0, 0, 0]);
    expect((await teamsOf(slug)).filter((each) => each.kind === "human")).toHaveLength(1);
    expect((await eventsOf(slug)).filter((each) => each === "team_joined")).toHaveLength(1);
  });

  it("[CLI-11] a person whom the broker does not know is made again, and still reads meanwhile", async () => {
    const { slug } = await makeSession("Unknown");
    await merkle.run(["post", slug, "first"]);
    const [file = ""] = await readdir(join(merkle.home, "persons"));
    const path = join(merkle.home, "persons", file);
    const person = JSON.parse(await readFile(path, "utf8"));
    const stranger = person.credential.replace(/^.{8}/, "00000000");
    await writeFile(path, JSON.stringify({ ...person, credential: stranger }));
    expect((await merkle.run(["ls"])).code).toBe(0);
    expect((await merkle.run(["post", slug, "again"])).code).toBe(0);
    expect(JSON.parse(await readFile(path, "utf8")).credential).not.toBe(stranger);
  });

  it("[CLI-5] a name that cannot be one is refused where it is set or read, exit 2", async () => {
    expect(await merkle.run(["config", "set", "name", " ", "--local"])).toMatchObject({ code: 2 });
    expect((await merkle.run(["config", "set", "name", "Bo", "--local"])).stdout).toContain("name Bo in ");
    expect((await merkle.run(["config", "get", "name", "--local"])).stdout).toBe("Bo\n");
    await writeFile(join(merkle.home, "config.json"), '{"name": 7}');
    expect(await merkle.run(["ls"])).toMatchObject({ code: 2, stderr: expect.stringContaining("name in ") });
  });
});

describe("the shell of a launched agent", () => {
  async function launched(title: string) {
    const { slug } = await makeSession(title);
    const { mesh_id: meshId } = await callBroker(merkle, "get_app_info", {});
    const given = await callBroker(merkle, "join_session", {
      session_id: slug,
      team_name: "Atlas",
      peer_name: "lead",
    });
    const place = toStoredPeer(given, { meshId, claudeSessionId: null });
    for (const each of [place, toOwnPeer(given, { meshId })]) await saveStoredPeer(merkle.home, each);
    const env = { MERKLE_SESSION: slug, MERKLE_TEAM: "Atlas" };
    return { slug, env, peer: toStoredPeerId(place) };
  }

  it("[CLI-11] writes there are the agent's team's", async () => {
    const { slug, env } = await launched("Agents here");
    expect((await merkle.run(["post", "from the shell"], { env })).code).toBe(0);
    expect((await merkle.run(["doc", "append", slug, "- a"], { env })).code).toBe(0);
    expect(await eventsOf(slug)).toEqual(["team_joined", "Atlas: from the shell"]);
    expect((await teamsOf(slug)).map((each) => each.kind)).toEqual(["agent", "agent"]);
  });

  it("[CLI-11] writes there are those of the very peer whose shell it is, which must be held here", async () => {
    const { slug, env, peer } = await launched("Peers here");
    for (const more of [{ MERKLE_PEER: peer }, {}]) {
      expect((await merkle.run(["post", "hello"], { env: { ...env, ...more } })).code).toBe(0);
    }
    const { messages } = await callBroker(merkle, "get_history", { session_id: slug });
    const said = messages.filter((each) => each.type === "chat").map((each) => each.from?.peer ?? null);
    expect(said).toEqual(["lead", null]);
    const unheld = { ...env, MERKLE_PEER: randomUUID() };
    expect(await merkle.run(["post", "hello"], { env: unheld })).toMatchObject({ code: 5 });
  });

  it("[CLI-11] writes elsewhere are refused with how to write as oneself, reads are not", async () => {
    const { slug, env } = await launched("Bound");
    const other = await makeSession("Elsewhere");
    for (const args of [
      ["post", other.slug, "x"],
      ["new", "Mine"],
    ]) {
      expect(await merkle.run(args, { env })).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("unset MERKLE_TEAM"),
      });
    }
    expect((await merkle.run(["show", other.slug], { env })).code).toBe(0);
    const unheld = { ...env, MERKLE_TEAM: "Nobody" };
    expect(await merkle.run(["post", slug, "x"], { env: unheld })).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('has no credential for the team "Nobody"'),
    });
    expect(await eventsOf(other.slug)).toEqual([]);
  });
});
