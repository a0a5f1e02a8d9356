import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import type { Cleanup } from "./test-database.js";

const program = inject("program");

/** A `merkle mcp` of one test, spoken to as an agent's client does. */
export interface StdioServer {
  readonly process: ChildProcess;
  /** What came on stderr. */
  readonly stderr: () => string;
  request(method: string, params?: unknown): Promise<RpcAnswer>;
  /** Sends a request whose answer may never come; resolves with its id once it is written. */
  begin(method: string, params?: unknown): { readonly id: number; readonly answer: Promise<RpcAnswer> };
  notify(method: string, params?: unknown): void;
  /** Writes as it is. */
  write(text: string): void;
  /** Calls a tool and gives its text, whether it failed or not. */
  call(name: string, args?: unknown): Promise<string>;
  initialize(): Promise<RpcAnswer>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Lets the client go away, as at its end. */
  stop(): Promise<void>;
}

export interface RpcAnswer {
  readonly result?: ToolResult & Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

interface ToolResult {
  readonly content?: readonly { readonly text: string }[];
  readonly isError?: boolean;
}

export interface StdioOptions {
  readonly url: string;
  readonly args?: readonly string[];
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A Merkle home for the servers of one test, removed at its end. */
export async function makeAgentHome(cleanup: Cleanup = onTestFinished): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "merkle-agent-"));
  cleanup(() => rm(home, { recursive: true, force: true }));
  return home;
}

/** Starts a server without greeting it. It is ended when the test has finished. */
export async function spawnStdioServer(
  options: StdioOptions,
  cleanup: Cleanup = onTestFinished,
): Promise<StdioServer> {
  const home = options.home ?? (await makeAgentHome(cleanup));
  const child = spawn(process.execPath, [program, "mcp", ...(options.args ?? [])], {
    cwd: home,
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      MERKLE_HOME: home,
      MERKLE_URL: options.url,
      ...options.env,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const server = watch(child);
  cleanup(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await server.ended;
  });
  return server;
}

/** Starts a server and greets it. */
export async function startStdioServer(options: StdioOptions, cleanup?: Cleanup): Promise<StdioServer> {
  const server = await spawnStdioServer(options, cleanup);
  await server.initialize();
  return server;
}

function watch(child: ChildProcess): StdioServer {
  const waiting = new Map<number, (answer: RpcAnswer) => void>();
  let lastId = 0;
  let unread = "";
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (unread + text).split("\n");
    unread = lines.pop() ?? "";
    for (const line of lines) take(JSON.parse(line));
  });
  // A server that was killed takes no more.
  child.stdin?.on("error", () => undefined);
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));

  function take(message: RpcAnswer & { id?: number }): void {
    const id = message.id ?? 0;
    waiting.get(id)?.(message);
    waiting.delete(id);
  }

  const write = (text: string) => child.stdin?.write(text);
  const send = (message: object) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  function begin(method: string, params: unknown = {}) {
    lastId += 1;
    const id = lastId;
    const answer = new Promise<RpcAnswer>((resolve, reject) => {
      waiting.set(id, resolve);
      void ended.then(() => reject(new Error(`The server ended before it answered ${method}. ${stderr}`)));
    });
    // Whoever lets a request go unanswered does not await it.
    answer.catch(() => undefined);
    send({ id, method, params });
    return { id, answer };
  }
  const request = (method: string, params?: unknown) => begin(method, params).answer;

  return {
    process: child,
    stderr: () => stderr,
    request,
    begin,
    notify: (method, params = {}) => void send({ method, params }),
    write: (text) => void write(text),
    async call(name, args = {}) {
      const { result, error } = await request("tools/call", { name, arguments: args });
      if (!result) throw new Error(`JSON-RPC ${error?.code}: ${error?.message}`);
      return result.content?.[0]?.text ?? "";
    },
    async initialize() {
      const clientInfo = { name: "test", version: "1" };
      const answer = await request("initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo,
      });
      send({ method: "notifications/initialized" });
      return answer;
    },
    ended,
    async stop() {
      child.stdin?.end();
      await ended;
    },
  };
}
