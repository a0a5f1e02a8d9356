import { spawn } from "node:child_process";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { OutputOf } from "@merkle/wire";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { testMerkle } from "../../../apps/cli/src/test-kit/merkle.js";
import { type Mesh, startMesh } from "../../claude/kit/mesh.js";
import { type Dialect, startScriptedModel } from "../../claude/kit/scripted-model.js";
import { controlTestCursor, installTestCursor, type TestCursor } from "../../kit/cursor.js";
import { acpAgents, prepareAcpAgent } from "../kit/acp-agent.js";
import { chatApi } from "../kit/chat-api.js";
import { prepareAgent, say } from "../kit/client-agent.js";
import { type DrivenClient, getDrivenClient } from "../kit/driven-clients.js";
import { geminiApi } from "../kit/gemini-api.js";
import { responsesApi } from "../kit/responses-api.js";

/** Any participant in the exchange, whichever client it uses. */
interface Member {
  readonly team: string;
  send(to: string, letter: string): Promise<void>;
  /** Resolves with the wall-clock time when the member received the message. */
  has(letter: string): Promise<number>;
  rests(): Promise<void>;
  /** How many requests the member's model has received. */
  readonly requestCount: number;
}

/** Each client uses a different model API and a different name for the tool. */
const clients: readonly { name: DrivenClient["name"]; tool: string; dialect?: Dialect }[] = [
  { name: "claude", tool: "mcp__merkle__send_message" },
  { name: "codex", tool: "mcp__merkle__send_message", dialect: responsesApi },
  { name: "opencode", tool: "merkle_send_message", dialect: chatApi },
];
/** The tool and the model API of each client that is driven as an ACP agent. */
const driven = {
  gemini: { tool: "mcp_merkle_send_message", dialect: geminiApi },
  opencode: { tool: "merkle_send_message", dialect: chatApi },
};
const idleMs = 60_000;
const rounds = 2;

const areInstalled = [...clients, ...acpAgents].every(
  ({ name }) => inject("clientPrograms")[name] !== undefined,
);

describe.runIf(areInstalled)("together", () => {
  it("[WAKE-10] [VENDOR-8] [WAKE-23] [WAKE-25] Claude Code, Codex, OpenCode, two ACP agents and curl wake each other, also from Cursor, and ask no model while they are idle", async () => {
    const mesh = await startMesh(onTestFinished);
    const members: Member[] = [];
    for (const client of clients) members.push(await startClient(mesh, client));
    for (const agent of acpAgents) members.push(await startAcpAgent(mesh, agent));
    members.push(await startCurl(mesh));
    const pairs = members.flatMap((from) => members.filter((to) => to !== from).map((to) => ({ from, to })));

    const took: { readonly pair: string; readonly ms: number }[] = [];
    for (const { from, to } of Array.from({ length: rounds }, () => pairs).flat()) {
      for (const member of members) await member.rests();
      const letter = `letter-${took.length}x`;
      await from.send(to.team, letter);
      const hadAt = await to.has(letter);
      const { messages } = await mesh.readHistory();
      const sent = messages.find(({ content }) => Object(content).text === letter);
      took.push({ pair: `${from.team} to ${to.team}`, ms: hadAt - Date.parse(sent?.posted_at ?? "") });
    }
    for (const { team } of members)
      report(
        `to ${team}`,
        took.filter(({ pair }) => pair.endsWith(team)),
      );
    report("in all", took);

    const cursor = await startCursor(mesh);
    for (const [index, member] of members.entries()) {
      await member.rests();
      await cursor.step({ tool: "send_message", input: { to: [member.team], message: `cursor-${index}x` } });
      await member.has(`cursor-${index}x`);
    }
    for (const member of members) await member.rests();
    await members[0]?.send("cursor", "letter-to-cursor");
    for (const member of members) await member.rests();
    const countRequests = () => [...members.map((member) => member.requestCount), cursor.conversation.length];
    const asked = countRequests();
    // Real time must pass, because the test checks that idle clients do not call their models.
    await delay(idleMs);
    expect(countRequests()).toEqual(asked);
    const [received] = await cursor.step({ tool: "Shell" });
    expect(received).toMatchObject({
      model: "postToolUse",
      text: expect.stringContaining("letter-to-cursor"),
    });
  }, 1_200_000);
});

function report(whom: string, took: readonly { readonly ms: number }[]): void {
  const sorted = took.map(({ ms }) => ms).sort((one, other) => one - other);
  const [p50 = 0, p95 = 0] = [0.5, 0.95].map((part) => sorted[Math.ceil(sorted.length * part) - 1]);
  console.info(
    `From post to model, ${whom}: p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms of ${took.length}.`,
  );
}

async function startClient(mesh: Mesh, { name, tool, dialect }: (typeof clients)[number]): Promise<Member> {
  const client = getDrivenClient(name);
  const model = await startScriptedModel(onTestFinished, dialect ? { dialect } : {});
  const where = { mesh, model, team: client.name, name: `${client.name}-1` };
  const agent = await prepareAgent(client, where, onTestFinished);
  const terminal = await agent.launch();
  await say(terminal, "say ready", model);
  const atRest = async () => (await mesh.findPeer(where.team, where.name))?.declared?.status;
  return {
    team: client.name,
    get requestCount() {
      return model.requests.length;
    },
    send: (to, letter) =>
      say(terminal, `call ${tool} ${JSON.stringify({ to: [to], message: letter })} then say sent`, model),
    has: async (letter) => performance.timeOrigin + (await model.waitFor(letter)).atMs,
    async rests() {
      await model.rests();
      await expect.poll(atRest).toBe("idle");
    },
  };
}

async function startAcpAgent(mesh: Mesh, acpAgent: (typeof acpAgents)[number]): Promise<Member> {
  const { tool, dialect } = driven[acpAgent.name];
  const model = await startScriptedModel(onTestFinished, { dialect });
  const where = { team: `${acpAgent.name}-acp`, name: `${acpAgent.name}-2` };
  const launch = await prepareAcpAgent(acpAgent, { mesh, model, ...where }, onTestFinished);
  const launched = await launch();
  launched.enter("say ready");
  await model.waitFor("say ready");
  return {
    team: where.team,
    get requestCount() {
      return model.requests.length;
    },
    async send(to, letter) {
      launched.enter(`call ${tool} ${JSON.stringify({ to: [to], message: letter })} then say sent`);
    },
    has: async (letter) => performance.timeOrigin + (await model.waitFor(letter)).atMs,
    async rests() {
      await model.rests();
      await expect
        .poll(async () => (await mesh.findPeer(where.team, where.name))?.declared?.status)
        .toBe("idle");
    },
  };
}

/** Launches the stand-in for Cursor, whose steps the test chooses. It is idle between two steps. */
async function startCursor(mesh: Mesh): Promise<TestCursor> {
  const merkle = await testMerkle(onTestFinished);
  const bin = join(merkle.home, "bin");
  await installTestCursor(bin);
  const cursor = await controlTestCursor(join(merkle.home, "control.sock"));
  const where = ["--url", mesh.url, "--session", mesh.slug, "--team", "cursor", "-y"];
  const env = { ...cursor.env, PATH: `${bin}:${process.env["PATH"]}` };
  const { ended } = merkle.start(["launch", "--client", "cursor", ...where], { env });
  onTestFinished(cursor.disconnect);
  await Promise.race([
    cursor.loaded,
    ended.then(({ stderr }) => Promise.reject(new Error(`Cursor ended: ${stderr}`))),
  ]);
  await cursor.step({ prompt: "begin" });
  await cursor.step({ stop: "completed" });
  return cursor;
}

/** Starts a curl loop, as in AGENTS.md. It has no model, so `asked` is always 0. */
async function startCurl(mesh: Mesh): Promise<Member> {
  const base = `${mesh.url}/api/sessions/${mesh.slug}`;
  const { team_id, cursor: joinedAt } = await curl<OutputOf<"join_session">>(`${base}/join`, {
    body: { team_name: "curl" },
  });
  const had = new Map<string, number>();
  const ending = new AbortController();

  async function listen(): Promise<void> {
    for (let cursor = joinedAt; ; ) {
      const { messages, next_cursor } = await curl<OutputOf<"wait_for_messages">>(
        `${base}/messages/wait?since_cursor=${cursor}`,
        { team: team_id, signal: ending.signal },
      );
      for (const { content } of messages) had.set(Object(content).text, Date.now());
      cursor = next_cursor;
    }
  }
  // A killed curl process prints no reply, so its parse error is ignored.
  const listening = listen().catch(() => undefined);
  onTestFinished(() => {
    ending.abort();
    return listening;
  });
  return {
    team: "curl",
    requestCount: 0,
    async send(to, text) {
      await curl(`${base}/messages`, { team: team_id, body: { content: { text }, to } });
    },
    async has(letter) {
      await expect.poll(() => had.has(letter)).toBe(true);
      return had.get(letter) ?? 0;
    },
    async rests() {
      await expect
        .poll(async () => (await mesh.listPeers()).find(({ team }) => team === "curl")?.polling)
        .toBe(true);
    },
  };
}

interface CurlOptions {
  readonly team?: string;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

async function curl<Output>(url: string, { team, body, signal }: CurlOptions): Promise<Output> {
  const headers = ["content-type: application/json", ...(team === undefined ? [] : [`x-team-id: ${team}`])];
  const args = ["-sS", url, ...headers.flatMap((each) => ["-H", each]), ...(body ? ["-d", "@-"] : [])];
  const child = spawn("curl", args, { stdio: ["pipe", "pipe", "ignore"] });
  signal?.addEventListener("abort", () => child.kill());
  child.stdin.end(body && JSON.stringify(body));
  // The broker's replies always have this shape.
  return JSON.parse(await readText(child.stdout)) as Output;
}
