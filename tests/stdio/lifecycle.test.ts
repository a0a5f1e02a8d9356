import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { makeAgentHome, spawnStdioServer, startStdioServer } from "../kit/stdio.js";
import { startTestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { startAgent, startSession } from "./agents.js";

describe("without a broker", () => {
  it("[STDIO-1] it greets and lists its tools, says what is wrong, and works as soon as there is a broker", async () => {
    const broker = await startTestBroker();
    const alder = await startSession(broker);
    await broker.stop();
    const args = ["--session", alder.slug, "--team", "Birch"];
    const server = await spawnStdioServer({ url: broker.url, args });
    const { result } = await server.initialize();
    expect(result?.["instructions"]).toContain(`You are "Birch" in the session "${alder.slug}"`);
    const list = await server.request("tools/list");
    expect(Object(list.result?.["tools"]).length).toBeGreaterThan(15);
    const failed = await server.call("list_sessions");
    expect(failed).toContain(`unavailable: The broker at ${broker.url} cannot be reached`);
    expect(failed).toContain("merkle up");

    await broker.restart();
    await expect.poll(async () => (await alder.findRosterEntry("Birch"))["connections"]).toBe(1);
    expect(await server.call("post_message", { content: { text: "here" } })).toMatch(/^#\d+ posted$/);
  });

  it("[STDIO-8] a session that does not exist is told, and joined once it is there", {
    tags: "long",
  }, async () => {
    const broker = await startTestBroker();
    const args = ["--session", "not-yet", "--team", "Birch"];
    const server = await startStdioServer({ url: broker.url, args });
    expect(await server.call("post_message", { content: { text: "x" } })).toContain(
      'not_found: There is no session "not-yet"',
    );
    expect(await server.call("list_sessions")).toBe("no sessions");
    const other = await startStdioServer({ url: broker.url });
    await other.call("create_session", { title: "Not yet", creator_team_name: "Alder" });
    expect(await server.call("post_message", { content: { text: "x" } })).toBe("#2 posted");
  });
});

describe("a broker that goes away", () => {
  it("[STDIO-6] a wait goes on after a restart of the broker, and misses nothing", async () => {
    const broker = await startTestBroker();
    const alder = await startSession(broker);
    const birch = await startAgent(broker, alder);
    const wait = birch.call("wait_for_messages", { timeout: 25 });
    await expect.poll(async () => (await alder.findRosterEntry("Birch"))["polling"]).toBe(true);
    await broker.restart();
    await alder.post("after the restart");
    expect(await wait).toBe("#2 Alder: after the restart");
    expect(await birch.call("wait_for_messages", { timeout: 0 })).toBe("nothing new");
  });

  it("[STDIO-1] one that ends the connection for good is tried again by the next call", async () => {
    const broker = await startTestBroker({}, undefined, "something else listens at its port");
    await broker.stop();
    const rude = new WebSocketServer({ port: broker.port });
    rude.on("connection", (socket) => socket.close(4400, "bad_frame"));
    const server = await startStdioServer({ url: broker.url });
    expect(await server.call("list_sessions")).toContain("4400");
    await new Promise((resolve) => rude.close(resolve));
    await broker.restart();
    expect(await server.call("list_sessions")).toBe("no sessions");
  });

  it("[STDIO-12] a restored database is told once, and numbers of before are dropped", async () => {
    const broker = await startTestBroker();
    const alder = await startSession(broker);
    const birch = await startAgent(broker, alder);
    await alder.post("one");
    await broker.restartAfter(async () => {
      const sql = connectTestDatabase(broker.databaseUrl);
      await sql`UPDATE settings SET value = to_jsonb(${randomUUID()}::text) WHERE key = 'epoch'`;
    });
    await expect.poll(async () => (await alder.findRosterEntry("Birch"))["connections"]).toBe(1);
    const heard = await birch.call("wait_for_messages");
    expect(heard).toMatch(/^resync: the database was restored\..+\n#2 Alder: one$/);
    expect(await birch.call("wait_for_messages", { timeout: 0 })).toBe("nothing new");
  });
});

describe("a client that is killed", () => {
  it("[STDIO-20] takes its server along, although another process has the pipes open, unless that answers", async () => {
    const home = await makeAgentHome();
    const start = (args: readonly string[]) =>
      `require("node:child_process").spawn(process.execPath, ${JSON.stringify(args)}, { stdio: "inherit" })`;
    const client = `process.stderr.write(process.pid + "\\n"); ${start([inject("program"), "mcp"])}`;
    // A separate process holds the pipe open and starts the client, which starts the server.
    const hold = `${start(["-e", client])}; require("node:fs").closeSync(1); setInterval(() => {}, 1_000_000)`;
    const holder = spawn(process.execPath, ["-e", hold], {
      env: { PATH: process.env["PATH"], HOME: home, MERKLE_HOME: home, MERKLE_URL: "http://127.0.0.1:9" },
      stdio: ["pipe", "pipe", "pipe"],
    });
    // Killing the process closes the pipe, and the server then exits.
    onTestFinished(() => void holder.kill("SIGKILL"));
    const [pid] = await once(createInterface(holder.stderr), "line");
    const lines = createInterface(holder.stdout)[Symbol.asyncIterator]();
    const next = async () => {
      const { done, value } = await lines.next();
      return done === true ? null : JSON.parse(value);
    };
    const send = (message: object) =>
      holder.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const clientInfo = { name: "test", version: "1" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    send({ id: 1, method: "initialize", params });
    expect(await next()).toMatchObject({ id: 1, result: { serverInfo: { name: "merkle" } } });
    send({ method: "notifications/initialized" });

    process.kill(Number(pid), "SIGKILL");
    const ping = { jsonrpc: "2.0", id: "merkle-ping", method: "ping" };
    expect(await next()).toEqual(ping);
    send({ id: ping.id, result: {} });
    send({ id: 2, method: "ping" });
    expect(await next()).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
    expect(await next()).toEqual(ping);
    // This ping gets no reply, so the server exits. It was the last process with stdout open, so the output ends.
    expect(await next()).toBeNull();
  });
});

describe("a server that comes again", () => {
  it("[STDIO-7] of the same Claude Code session goes on as its teams, in a concluded session, too", {
    tags: "long",
  }, async () => {
    const broker = await startTestBroker();
    const alder = await startSession(broker);
    const home = await makeAgentHome();
    const env = { CLAUDE_CODE_SESSION_ID: randomUUID() };
    const first = await startStdioServer({ url: broker.url, home, env });
    await first.call("join_session", { session_id: alder.slug, team_name: "Birch" });
    await alder.post("unread");
    first.process.kill("SIGKILL");
    await first.ended;
    await alder.ask("POST", "/conclude", { summary_section: "Done." });

    const second = await startStdioServer({ url: broker.url, home, env });
    const heard = [await second.call("wait_for_messages")];
    while (!heard.at(-1)?.includes("session closed")) heard.push(await second.call("wait_for_messages"));
    expect(heard.join("\n")).toContain("#2 Alder: unread");
    expect(heard.join("\n")).toContain("#3 * session_concluded");
    const other = await startStdioServer({
      url: broker.url,
      home,
      env: { CLAUDE_CODE_SESSION_ID: randomUUID() },
    });
    expect(await other.call("wait_for_messages")).toContain("You have not joined a session yet");
  });

  it("[STDIO-7] two servers on one home never act as the same peer", async () => {
    const broker = await startTestBroker();
    const alder = await startSession(broker);
    const home = await makeAgentHome();
    await Promise.all([startAgent(broker, alder, { home }), startAgent(broker, alder, { home })]);
    // The second server joins as a new team, or as a peer of the first team if the credential was already stored.
    const { peers } = await alder.ask<{ peers: { connected: boolean }[] }>("GET", "/peers");
    expect(peers.filter(({ connected }) => connected)).toHaveLength(2);
  });

  it("[STDIO-8] with --as it is exactly the peer that this machine stores", { tags: "long" }, async () => {
    const broker = await startTestBroker();
    const alder = await startSession(broker);
    const home = await makeAgentHome();
    await (await startAgent(broker, alder, { home })).stop();
    const [file = ""] = (await readdir(join(home, "teams"))).filter((name) => name.endsWith(".json"));
    const args = ["--as", file.replace(".json", "")];
    const server = await spawnStdioServer({ url: broker.url, home, args });
    expect((await server.initialize()).result?.["instructions"]).toContain(
      `You are "Birch" in the session "${alder.slug}"`,
    );
    await alder.post("hello");
    expect(await server.call("wait_for_messages")).toBe("#2 Alder: hello");
    const nobody = await startStdioServer({ url: broker.url, home, args: ["--as", randomUUID()] });
    expect(await nobody.call("wait_for_messages")).toContain("not_found: This machine has no stored peer");
  });

  it("[STDIO-7] with --as goes on where its model has joined besides", async () => {
    const broker = await startTestBroker();
    const alder = await startSession(broker);
    const oak = await startSession(broker);
    const home = await makeAgentHome();
    await (await startAgent(broker, alder, { home })).stop();
    const [file = ""] = (await readdir(join(home, "teams"))).filter((name) => name.endsWith(".json"));
    const options = {
      ...{ url: broker.url, home, args: ["--as", file.replace(".json", "")] },
      env: { CLAUDE_CODE_SESSION_ID: randomUUID() },
    };
    const first = await startStdioServer(options);
    await first.call("join_session", { session_id: oak.slug, team_name: "Birch" });
    first.process.kill("SIGKILL");
    await first.ended;
    await oak.post("elsewhere");
    const second = await startStdioServer(options);
    await expect.poll(() => second.call("check_messages")).toContain("elsewhere");
    expect(await second.call("post_message", { content: { text: "x" } })).toContain(alder.slug);
  });
});

describe("stopping", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP", "stdin"] as const)(
    "[STDIO-13] by %s ends it while it waits, keeps the stored peer and leaves no hold",
    async (how) => {
      const broker = await startTestBroker();
      const alder = await startSession(broker);
      const home = await makeAgentHome();
      const birch = await startAgent(broker, alder, { home });
      birch.begin("tools/call", { name: "wait_for_messages", arguments: {} });
      await expect.poll(async () => (await alder.findRosterEntry("Birch"))["polling"]).toBe(true);
      if (how === "stdin") birch.process.stdin?.end();
      else birch.process.kill(how);
      expect(await birch.ended).toEqual({ code: 0, signal: null });
      expect(birch.stderr()).toBe("");
      await expect
        .poll(async () => await alder.findRosterEntry("Birch"))
        .toMatchObject({ connections: 0, left_at: null });
      expect((await readdir(join(home, "teams"))).filter((name) => !name.endsWith(".json"))).toEqual([]);
    },
  );

  it.each(["before", "right after"] as const)(
    "[STDIO-13] a client that goes %s the greeting leaves nothing running",
    async (when) => {
      const server = await spawnStdioServer({ url: "http://127.0.0.1:9" });
      if (when === "right after") {
        const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: client };
        const { answer } = server.begin("initialize", initialize);
        server.process.stdin?.end();
        expect((await answer).result?.["serverInfo"]).toMatchObject({ name: "merkle" });
      } else server.process.stdin?.end();
      expect(await server.ended).toEqual({ code: 0, signal: null });
      expect(server.stderr()).toBe("");
    },
  );
});

const client = { name: "test", version: "1" };
