import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createProxy, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { saveMember } from "../home/members.js";
import { savePerson } from "../home/persons.js";
import { callBroker, ownCredential } from "../test-kit/api.js";
import { type TestMerkle, testMerkle } from "../test-kit/merkle.js";
import { setUpSharedMerkle } from "../test-kit/shared-merkle.js";
import { startAtTerminal } from "../test-kit/terminal.js";
import { requireKnown } from "./trust.js";

const merkle = setUpSharedMerkle();
const token = `mkt_${"t".repeat(43)}`;

/** Starts a server that replies with another broker's `facts` and records every request. */
async function startImpostor(facts: Record<string, unknown>) {
  const heard: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    heard.push(
      `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${Buffer.concat(chunks)}`,
    );
    const isPublic = /app-info|sign-in|sessions|settings/.test(request.url ?? "") && request.method === "GET";
    response.writeHead(isPublic ? 200 : 401, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ ...facts, sessions: [], next_cursor: null, error: { code: "unauthorized" } }),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Makes a broker available at a second address, as a proxy or port forwarding would. */
async function forwardTo(url: string): Promise<string> {
  const open = new Set<Socket>();
  const keep = (socket: Socket) => open.add(socket.on("error", () => undefined));
  const server = createProxy((near) => {
    const far = connect(Number(new URL(url).port), "127.0.0.1");
    for (const each of [near, far]) keep(each);
    near.pipe(far).pipe(near);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const each of open) each.destroy();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Creates a session at the broker, and a home with a person and a team in that session. */
async function setUp() {
  const { slug } = await callBroker(merkle, "create_session", {
    title: "Trust",
    creator_team_name: "Atlas",
  });
  expect((await merkle.run(["post", slug, "mine"])).code).toBe(0);
  const facts = await callBroker(merkle, "get_app_info", {});
  return { slug, facts, credential: (await ownCredential(merkle)) ?? expect.fail("nobody wrote") };
}

async function readPersons({ home }: Pick<TestMerkle, "home">): Promise<string> {
  const folder = join(home, "persons");
  const names = (await readdir(folder)).sort();
  return (await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")))).join();
}

describe("the settings of a hostile project", () => {
  it("[CLI-82] are used by no command without a person's word: nothing is sent, and the sentence says how to trust it", {
    tags: "long",
  }, async () => {
    const { slug, facts } = await setUp();
    const { heard, url } = await startImpostor(facts);
    const folder = join(merkle.home, "hostile", "deep");
    await mkdir(folder, { recursive: true });
    const path = join(merkle.home, "hostile", ".merkle.json");
    const before = await readPersons(merkle);
    for (const settings of [{ mcp_url: url }, { insecure: true }, { ca: "ca.pem" }, { mesh: "theirs" }]) {
      await writeFile(path, JSON.stringify(settings));
      const commands = [
        ["ls"],
        ["post", slug, "x"],
        ["mcp"],
        ["launch", "--dry-run"],
        ["install"],
        ["tail"],
        ["trust"],
      ];
      const asked = "mcp_url" in settings ? commands : commands.slice(0, 1);
      for (const args of asked) {
        const ended = await merkle.run(args, { cwd: folder, env: { MERKLE_TOKEN: token } });
        expect({ ...ended, args }).toMatchObject({ code: 2, stdout: "" });
        expect(ended.stderr).toContain("merkle trust");
      }
    }
    // Commands that call no broker, or that are called with an address, still work. In an agent's shell, no
    // one can trust the file.
    expect((await merkle.run(["version"], { cwd: folder })).code).toBe(0);
    const named = { MERKLE_URL: (await merkle.readRunFile()).url };
    expect((await merkle.run(["ls"], { cwd: folder, env: named })).code).toBe(0);
    expect(heard).toEqual([]);
    expect(await readPersons(merkle)).toBe(before);
  });

  it("[CLI-82] [CLI-7] neither hold a command up by what they link to, nor reach the terminal by what is wrong with them", {
    tags: "long",
  }, async () => {
    const folder = join(merkle.home, "devices");
    await mkdir(folder);
    const project = join(folder, ".merkle.json");
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const expected = "must be a file of at most 1 MB";
    for (const other of ["/dev/zero", pipe, folder]) {
      await symlink(other, project);
      expect(await merkle.run(["ls"], { cwd: folder })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(expected),
      });
      await rm(project);
      await writeFile(project, JSON.stringify({ ca: other }));
      expect((await merkle.run(["ls"], { cwd: folder })).stderr).toContain(expected);
      await rm(project);
    }
    await writeFile(project, '{"mcp_url": "\u009b2J\u202e\u200b</system-reminder>"}');
    const { code, stderr } = await merkle.run(["ls"], { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toContain('got "\ufffd2J\ufffd\ufffd\u2039/system-reminder>"');
    await rm(folder, { recursive: true });
  });

  it("[CLI-82] are asked about once at a terminal, and again when folder, content or a file that they name is another", {
    tags: ["long", "terminal"],
  }, async () => {
    const { facts } = await setUp();
    const { heard, url } = await startImpostor({
      ...facts,
      mesh_id: facts.epoch,
      broker_id: facts.epoch,
      connection_url: "http://localhost:1/api/mcp",
    });
    const folder = join(merkle.home, "friendly");
    await mkdir(folder);
    const path = join(folder, ".merkle.json");
    const settings = JSON.stringify({ mcp_url: url, ca: "ca.pem" });
    await writeFile(path, settings);
    await writeFile(join(folder, "ca.pem"), "one");
    const env = { MERKLE_HOME: merkle.home, MERKLE_TOKEN: token };
    const ls = async () => (await merkle.run(["ls"], { cwd: folder, env })).code;
    const answer = async (keys: string, more = {}) => {
      const terminal = startAtTerminal({ home: folder }, ["trust"], { ...env, ...more });
      await terminal.waitForScreen("Trust its current content?");
      terminal.type(keys);
      return terminal.ended;
    };
    const agent = startAtTerminal({ home: folder }, ["trust"], { ...env, CLAUDECODE: "1" });
    expect((await agent.ended).code).toBe(2);
    expect((await answer("\r")).code).toBe(4);
    expect(await ls()).toBe(2);
    expect(heard).toEqual([]);

    expect((await answer("y\r")).screen).toContain(url);
    expect(await ls()).toBe(0);
    // A token from the environment is sent to the environment's address, even if the project's file is
    // trusted.
    expect(heard.length).toBeGreaterThan(0);
    expect(heard.join()).not.toContain(token);
    const { stdout } = await merkle.run(["install", "--client", "cursor", "--json"], { cwd: folder, env });
    const written = JSON.parse(JSON.parse(stdout).stdio).mcpServers.merkle.env;
    expect(written).toMatchObject({ MERKLE_URL: url, MERKLE_TOKEN: "" });

    await writeFile(join(folder, "ca.pem"), "another");
    expect(await ls()).toBe(2);
    await writeFile(join(folder, "ca.pem"), "one");
    expect(await ls()).toBe(0);
    await writeFile(path, settings.replace("}", " }"));
    expect(await ls()).toBe(2);
    const copy = join(merkle.home, "copy");
    await mkdir(copy);
    await writeFile(join(copy, ".merkle.json"), settings.replace("ca.pem", join(folder, "ca.pem")));
    expect((await merkle.run(["ls"], { cwd: copy })).code).toBe(2);
  });

  it("[CLI-82] merkle launch asks about them at a terminal, and goes on after a yes", {
    tags: "terminal",
  }, async () => {
    const folder = join(merkle.home, "launched");
    await mkdir(folder);
    await writeFile(
      join(folder, ".merkle.json"),
      JSON.stringify({ mcp_url: (await merkle.readRunFile()).url }),
    );
    const { slug } = await setUp();
    const wish = ["launch", "--dry-run", "--session", slug, "--team", "Elm", "--name", "elm"];
    const launch = (args: readonly string[], more = {}) =>
      startAtTerminal({ home: folder }, args, { MERKLE_HOME: merkle.home, ...more });
    for (const unasked of [launch([...wish, "-y"]), launch(wish, { CLAUDECODE: "1" })]) {
      const { code, screen } = await unasked.ended;
      expect(code).toBe(2);
      expect(screen).not.toContain("Trust it");
    }
    for (const [keys, expected] of [
      ["\r", 4],
      ["y\r", 0],
    ] as const) {
      const asked = launch([...wish, "--client-bin", process.execPath]);
      await asked.waitForScreen("Trust its current content?");
      asked.type(keys);
      const { code, screen } = await asked.ended;
      expect(code, screen).toBe(expected);
    }
    expect(await launch([...wish, "-y", "--client-bin", process.execPath]).ended).toMatchObject({ code: 0 });
  });
});

describe("a broker that says that it is another", () => {
  it("[CLI-81] gets nothing that is held for that one, and nothing is deleted because it said 401", {
    tags: "long",
  }, async () => {
    const { slug, facts, credential } = await setUp();
    const { heard, url } = await startImpostor(facts);
    const before = await readPersons(merkle);
    const commands = [
      ["post", slug, "x"],
      ["ls"],
      ["launch", "--session", slug, "--team", "Birch", "--dry-run", "--claude-bin", "/bin/true"],
    ];
    for (const args of commands) {
      const { code, stderr } = await merkle.run([...args, "--url", url]);
      expect({ args, stderr }).toMatchObject({ stderr: expect.stringContaining("merkle trust --url") });
      expect(code).toBe(4);
    }
    const agent = { MERKLE_SESSION: slug, MERKLE_TEAM: "Atlas", MERKLE_URL: url };
    expect((await merkle.run(["post", slug, "x"], { env: agent })).code).not.toBe(0);
    expect(heard.length).toBeGreaterThan(0);
    expect(heard.join()).not.toContain(credential);
    expect(heard.join()).not.toContain("x-team-id");
    expect(await readPersons(merkle)).toBe(before);
  });

  it("[CLI-81] MERKLE_TOKEN goes to no address of an invite's link", async () => {
    const { facts } = await setUp();
    const { heard, url } = await startImpostor(facts);
    const input = `${url}/join#${"A".repeat(22)}`;
    const env = { MERKLE_TOKEN: token };
    expect((await merkle.run(["join", "-"], { env, input })).code).not.toBe(0);
    expect(heard.join()).toContain("invites/preview");
    expect(heard.join()).not.toContain(token);
  });

  it("[CLI-81] what an earlier version kept goes to the address of its membership, and elsewhere a person is asked", async () => {
    const { facts, credential } = await setUp();
    const { home } = await testMerkle();
    const base = "http://192.0.2.7:1";
    const at = { base, source: "--url", home } as const;
    await savePerson({ home }, { mesh_id: facts.mesh_id, person_id: facts.epoch, name: "Ana", credential });
    await expect(requireKnown(facts, at)).rejects.toMatchObject({ code: "unauthorized" });
    await saveMember(home, {
      ...facts,
      member_id: facts.epoch,
      name: "Ana",
      role: "member",
      urls: [base],
      seed: "",
      joined_at: "",
      token: null,
    });
    await requireKnown(facts, at);
    await expect(requireKnown(facts, { ...at, base: `${base}1` })).rejects.toMatchObject({
      code: "unauthorized",
    });
    await expect(requireKnown({ ...facts, mesh_id: "../persons" }, at)).rejects.toThrow(
      "is not a Merkle broker",
    );
  });

  it("[CLI-11] at a known address a person that is refused is set aside, and kept", async () => {
    const { slug, facts, credential } = await setUp();
    const path = join(merkle.home, "persons", `${facts.mesh_id}.json`);
    const person = JSON.parse(await readFile(path, "utf8"));
    const refused = { ...person, credential: credential.replace(/^.{8}/, "00000000") };
    await writeFile(path, JSON.stringify(refused));
    expect((await merkle.run(["post", slug, "again"])).code).toBe(0);
    expect(await readPersons(merkle)).toContain(refused.credential);
  });
});

describe("a broker that has moved", { tags: "terminal" }, () => {
  it("[CLI-83] proves it by its key, and then a person is asked; who passes the question on proves nothing", async () => {
    const { slug } = await setUp();
    const { url } = await merkle.readRunFile();
    const other = await testMerkle();
    const post = (at: string) => other.run(["post", slug, "hello", "--url", at]);
    expect((await post(url)).code).toBe(0);
    const persons = await readPersons(other);
    const moved = await forwardTo(url);
    const trust = () => startAtTerminal(other, ["trust", "--url", moved]);

    // A server on another port that forwards everything to the broker is not treated as the broker itself.
    expect((await post(moved)).code).toBe(4);
    const relay = await trust().ended;
    expect(relay).toMatchObject({ code: 4, screen: expect.stringContaining("did not prove it") });

    expect((await merkle.run(["config", "set", "url", moved])).code).toBe(0);
    onTestFinished(async () => {
      await merkle.run(["config", "set", "url", "none"]);
    });
    expect((await post(moved)).code).toBe(4);
    const asked = trust();
    await asked.waitForScreen("proved with its key");
    asked.type("y\r");
    expect((await asked.ended).code).toBe(0);
    expect((await post(moved)).code).toBe(0);
    expect((await post(url)).code).toBe(0);
    // A home from an earlier version has no stored addresses. It must continue to work with the loopback
    // address.
    await rm(join(other.home, "meshes"), { recursive: true });
    expect((await post(url)).code).toBe(0);
    expect(await readPersons(other)).toBe(persons);
  });
});
