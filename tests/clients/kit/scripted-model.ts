import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { expect } from "vitest";
import type { Cleanup } from "../../kit/test-database.js";
import { writeChat } from "./chat-api.js";
import { type ResponseCall, writeEvents, writeResponse } from "./responses-api.js";

/** A model that supports the APIs of OpenAI, Google and Anthropic, and follows the last prompt. */
export interface ScriptedModel {
  readonly url: string;
  /** The bodies of all requests so far. */
  readonly requests: readonly string[];
  /** Number of turns in which the model called a tool and received the result. */
  readonly turnsEnded: number;
  waitFor(text: string): Promise<void>;
  /** Delays the next reply to a tool's result until `letGo` is called. */
  hold(): { readonly held: Promise<void>; letGo(): void };
}

/** A prompt that requests two tool calls, one after the other. */
export const callTwice = "CALL-TWICE";

const twice: ScriptedCall = { tool: "list_peers", args: {} };

/** Returns a prompt that requests one tool call. The prompt is a single line, as terminals require. */
export function callOnce(tool: string, args: object | string): string {
  return `CALL-ONCE ${JSON.stringify({ tool, args })} OVER`;
}

/**
 * A tool call, with the tool's unprefixed name. The arguments are a string if the client's tool does not accept JSON.
 */
interface ScriptedCall {
  readonly tool: string;
  readonly args: object | string;
}

/** Returns the tool call that the last prompt requests, and the conversation since that prompt. */
function lastAsked(turn: string): {
  readonly call: ScriptedCall;
  readonly times: number;
  readonly since: string;
} {
  const at = turn.lastIndexOf("CALL-");
  const since = at < 0 ? "" : turn.slice(at);
  if (since.startsWith(callTwice)) return { call: twice, times: 2, since };
  // The prompt is JSON within a JSON string, so it is parsed twice.
  const [, once] = /^CALL-ONCE (.*?) OVER/.exec(since) ?? [];
  return { call: once ? JSON.parse(JSON.parse(`"${once}"`)) : twice, times: once ? 1 : 0, since };
}

export async function startScriptedModel(cleanup: Cleanup): Promise<ScriptedModel> {
  const requests: string[] = [];
  let turnsEnded = 0;
  let gate: { reached(): void; readonly open: Promise<void> } | undefined;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    const dialect = dialects.find(({ path }) => path.test(request.url ?? ""));
    if (request.method !== "POST" || !dialect) {
      response.writeHead(200, { "content-type": "application/json" });
      return void response.end(JSON.stringify({ object: "list", data: [], models: [] }));
    }
    const asked = Object(JSON.parse(body));
    requests.push(body);
    const turn = JSON.stringify(asked.input ?? asked.messages ?? asked.contents ?? []);
    const { call, times, since } = lastAsked(turn);
    const results = since.split(dialect.result).length - 1;
    const name = toolName(body, call.tool);
    if (results === 1 && gate) {
      gate.reached();
      await gate.open;
      gate = undefined;
    }
    const isDue = results < times && name !== undefined;
    if (times > 0 && results >= times) turnsEnded += 1;
    dialect.write(response, isDue ? { ...call, tool: name } : null, asked.stream !== false);
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup(async () => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get turnsEnded() {
      return turnsEnded;
    },
    waitFor: (text) =>
      expect
        .poll(() => requests.some((each) => each.includes(text)), { message: `never shown: ${text}` })
        .toBe(true),
    hold() {
      let reached = () => {};
      let letGo = () => {};
      const held = new Promise<void>((resolve) => {
        reached = resolve;
      });
      const open = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      gate = { reached: () => reached(), open };
      return { held, letGo: () => letGo() };
    },
  };
}

/** Finds the client's name for a tool. Each client adds its own prefix. */
function toolName(body: string, tool: string): string | undefined {
  return new RegExp(`"name":"((?:\\w+[_-])?${tool})"`).exec(body)?.[1];
}

interface Dialect {
  readonly path: RegExp;
  /** A string that occurs exactly once in each tool result. */
  readonly result: string;
  /** Writes a tool call, or the final reply if `call` is null. */
  write(response: ServerResponse, call: ScriptedCall | null, stream: boolean): void;
}

let calls = 0;

const dialects: readonly Dialect[] = [
  {
    path: /\/responses/,
    result: '_call_output"',
    write(response, call) {
      writeResponse(response, call ? toItem(call) : "done");
    },
  },
  {
    path: /\/chat\/completions/,
    result: '"role":"tool"',
    write(response, call, stream) {
      const calling = call && { name: call.tool, arguments: JSON.stringify(call.args) };
      writeChat(response, calling ?? "done", stream);
    },
  },
  {
    path: /[gG]enerateContent/,
    result: '"functionResponse"',
    write(response, call) {
      const part = call
        ? { functionCall: { name: call.tool, args: call.args, id: `c${++calls}` } }
        : { text: "done" };
      const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
      const content = { role: "model", parts: [part] };
      writeEvents(response, [{ candidates: [{ content, finishReason: "STOP", index: 0 }], usageMetadata }]);
    },
  },
  {
    path: /\/messages/,
    result: '"type":"tool_result"',
    write(response, call) {
      const usage = { input_tokens: 1, output_tokens: 1 };
      const message = {
        id: `m${++calls}`,
        type: "message",
        role: "assistant",
        model: "fake",
        content: [],
        usage,
      };
      const block = call
        ? { type: "tool_use", id: `toolu_${calls}`, name: call.tool, input: {} }
        : { type: "text", text: "" };
      const delta = call
        ? { type: "input_json_delta", partial_json: JSON.stringify(call.args) }
        : { type: "text_delta", text: "done" };
      writeEvents(response, [
        { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
        { type: "content_block_start", index: 0, content_block: block },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: call ? "tool_use" : "end_turn" }, usage },
        { type: "message_stop" },
      ]);
    },
  },
];

/** Codex's own tool that runs a command. */
const commandTool = "exec_command";

/** Converts a call for Codex, which accepts patches as text, and names Merkle's tools with their server. */
function toItem({ tool, args }: ScriptedCall): ResponseCall {
  if (typeof args === "string") return { name: tool, input: args };
  const name = tool === commandTool ? tool : `mcp__merkle__${tool}`;
  return { name, arguments: JSON.stringify(args) };
}
