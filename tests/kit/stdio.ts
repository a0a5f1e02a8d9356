import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import type { Cleanup } from "./test-database.js";

const program = inject("program");

/** A `merkle mcp` process for one test, used as an agent's client would use it. */
export interface StdioServer {
  readonly process: ChildProcess;
  /** Returns all output on stderr so far. */
  readonly stderr: () => string;
  request(method: string, params?: unknown): Promise<RpcAnswer>;
  /** Sends a request that may never be answered. Returns its id and the pending answer. */
  begin(method: string, params?: unknown): { readonly id: number; readonly answer: Promise<RpcAnswer> };
  notify(method: string, params?: unknown): void;
  /** Writes the text to stdin unchanged. */
  write(text: string): void;
  /**
   * Calls a tool and returns its text, whether or not the call failed. `toolUseId` links the call to the hook that
   * announced it.
   */
  call(name: string, args?: unknown, toolUseId?: string): Promise<string>;
  /** Runs a hook as Claude Code does, and returns the text that the hook adds to the conversation. */
  hook(event: string, ids?: HookIds): Promise<string>;
  /** Resolves with the next notification that has this method. */
  nextNotification(method: string): Promise<unknown>;
  initialize(client?: string): Promise<RpcAnswer>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Closes stdin, as a client does when it exits. */
  stop(): Promise<void>;
}

/** Values that Claude Code puts into hook input. Default: those of the main agent and the last prompt. */
export interface HookIds {
  readonly session_id?: string;
  readonly prompt_id?: string;
  readonly agent_id?: string;
  readonly tool_use_id?: string;
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
  /** Name that the client sends when it initialises. Default: `test`. */
  readonly client?: string;
}

/** Creates a Merkle home for one test's servers. It is removed when the test has finished. */
export async function makeAgentHome(cleanup: Cleanup = onTestFinished): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "merkle-agent-"));
  cleanup(() => rm(home, { recursive: true, force: true }));
  return home;
}

/** Starts a server without initialising it. It is stopped when the test has finished. */
export async function spawnStdioServer(
  options: StdioOptions,
  cleanup: Cleanup = onTestFinished,
): Promise<StdioServer> {
  const home = options.home ?? (await makeAgentHome(cleanup));
  const child = spawn(process.execPath, [program, "mcp", ...(options.args ?? [])], {
    cwd: home,
    env: {
      PATH: process.env["PATH"],
      TMPDIR: tmpdir(),
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
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

/** Starts a server and initialises it. */
export async function startStdioServer(options: StdioOptions, cleanup?: Cleanup): Promise<StdioServer> {
  const server = await spawnStdioServer(options, cleanup);
  await server.initialize(options.client);
  return server;
}

interface Notice {
  readonly method: string;
  readonly params: unknown;
}

function watch(child: ChildProcess): StdioServer {
  const waiting = new Map<number, (answer: RpcAnswer) => void>();
  let lastId = 0;
  let unread = "";
  let stderr = "";
  const notices: Notice[] = [];
  const hearers: ((notice: Notice) => boolean)[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (unread + text).split("\n");
    unread = lines.pop() ?? "";
    for (const line of lines) take(JSON.parse(line));
  });
  // A killed server reads no more input.
  child.stdin?.on("error", () => undefined);
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));

  function take(message: RpcAnswer & { id?: number } & Partial<Notice>): void {
    if (message.method !== undefined) return hear({ method: message.method, params: message.params });
    const id = message.id ?? 0;
    waiting.get(id)?.(message);
    waiting.delete(id);
  }

  function hear(notice: Notice): void {
    const index = hearers.findIndex((take) => take(notice));
    if (index === -1) notices.push(notice);
    else hearers.splice(index, 1);
  }

  let prompts = 0;
  const write = (text: string) => child.stdin?.write(text);
  const send = (message: object) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  function begin(method: string, params: unknown = {}) {
    lastId += 1;
    const id = lastId;
    const answer = new Promise<RpcAnswer>((resolve, reject) => {
      waiting.set(id, resolve);
      void ended.then(() => reject(new Error(`The server ended before it answered ${method}. ${stderr}`)));
    });
    // Some tests let a request go unanswered and do not await the answer.
    answer.catch(() => undefined);
    send({ id, method, params });
    return { id, answer };
  }
  const request = (method: string, params?: unknown) => begin(method, params).answer;
  async function call(name: string, args: unknown = {}, toolUseId?: string): Promise<string> {
    const _meta = toolUseId === undefined ? {} : { _meta: { "claudecode/toolUseId": toolUseId } };
    const { result, error } = await request("tools/call", { name, arguments: args, ..._meta });
    if (!result) throw new Error(`JSON-RPC ${error?.code}: ${error?.message}`);
    return result.content?.[0]?.text ?? "";
  }

  return {
    process: child,
    stderr: () => stderr,
    request,
    begin,
    notify: (method, params = {}) => void send({ method, params }),
    write: (text) => void write(text),
    call,
    async hook(event, ids = {}) {
      if (event === "UserPromptSubmit") prompts += 1;
      const input = {
        session_id: "s1",
        prompt_id: `prompt-${prompts}`,
        agent_id: "",
        tool_use_id: "",
        ...ids,
      };
      const answer = JSON.parse(await call("hook", { event, ...input }));
      return answer.hookSpecificOutput?.additionalContext ?? "";
    },
    nextNotification(method) {
      const index = notices.findIndex((notice) => notice.method === method);
      if (index !== -1) return Promise.resolve(notices.splice(index, 1)[0]?.params);
      return new Promise((resolve) => {
        hearers.push((notice) => {
          if (notice.method !== method) return false;
          resolve(notice.params);
          return true;
        });
      });
    },
    async initialize(client = "test") {
      const clientInfo = { name: client, version: "1" };
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
