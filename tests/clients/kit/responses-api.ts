import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Dialect } from "../../claude/kit/scripted-model.js";
import type { RequestMessage } from "../../claude/kit/shown.js";

/** The format of Codex's model API, for use with the scripted model from the Claude Code tests. */
export const responsesApi: Dialect = {
  path: "/responses",
  // For models that call tools from a script, Codex lists the tools in the first item of the input.
  read(body) {
    const { model, input, tools = input[0].tools } = Object(JSON.parse(body));
    return { model, tools, messages: input.flatMap(toMessage) };
  },
  write(response, _, answer) {
    if ("text" in answer) return writeResponse(response, answer.text);
    const [{ tool, input } = { tool: "", input: {} }] = answer.calls;
    writeResponse(response, { name: tool, arguments: JSON.stringify(input) });
  },
};

/** The same format, for models that call Codex's tools from a script, as current models do. */
export const scriptsApi: Dialect = {
  ...responsesApi,
  write(response, _, answer) {
    if ("text" in answer) return writeResponse(response, answer.text);
    const [{ tool, input } = { tool: "", input: {} }] = answer.calls;
    const script = `text(await tools.${tool}(${JSON.stringify(input)}))`;
    writeResponse(response, { name: "exec", input: script });
  },
};

function toMessage(item: Readonly<Record<string, unknown>>): RequestMessage[] {
  const { type, role, content, name, namespace, input, output } = Object(item);
  if (type === "message") {
    const said = role === "assistant" || role === "user" ? role : "system";
    return [{ role: said, content }];
  }
  if (type === "function_call" || type === "custom_tool_call") {
    const [, inScript] = /\btools\.(\w+)/.exec(input) ?? [];
    const full = inScript ?? (namespace === undefined ? name : `${namespace}__${name}`);
    return [{ role: "assistant", content: [{ type: "tool_use", name: full }] }];
  }
  if (type !== "function_call_output" && type !== "custom_tool_call_output") return [];
  return [{ role: "user", content: [{ type: "tool_result", content: output }] }];
}

/** A tool call. Merkle's tools are named as in Claude Code. Some of Codex's own tools take plain text as input. */
export type ResponseCall =
  | { readonly name: string; readonly arguments: string }
  | { readonly name: string; readonly input: string };

/** Replies with text or a tool call. */
export function writeResponse(response: ServerResponse, said: string | ResponseCall): void {
  const id = randomUUID();
  const item = typeof said === "string" ? toText(said) : { ...toCall(said), call_id: `call_${id}` };
  const whole = { ...item, id: `item_${id}`, status: "completed" };
  const usage = {
    ...{ input_tokens: 100, output_tokens: 10, total_tokens: 110 },
    input_tokens_details: { cached_tokens: 40, cache_write_tokens: 30 },
    output_tokens_details: { reasoning_tokens: 2 },
  };
  const base = { id: `resp_${id}`, object: "response" };
  writeEvents(response, [
    { type: "response.created", response: { ...base, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: whole },
    { type: "response.output_item.done", output_index: 0, item: whole },
    { type: "response.completed", response: { ...base, status: "completed", output: [whole], usage } },
  ]);
}

function toText(text: string) {
  return { type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] };
}

function toCall(call: ResponseCall) {
  if ("input" in call) return { type: "custom_tool_call", ...call };
  const [, own] = /^mcp__merkle__(.+)$/.exec(call.name) ?? [];
  const place = own === undefined ? {} : { name: own, namespace: "mcp__merkle" };
  return { type: "function_call", ...call, ...place };
}

export function writeEvents(
  response: ServerResponse,
  events: readonly Readonly<Record<string, unknown>>[],
  last?: string,
): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events)
    response.write(
      `${event["type"] === undefined ? "" : `event: ${String(event["type"])}\n`}data: ${JSON.stringify(event)}\n\n`,
    );
  response.end(last === undefined ? "" : `data: ${last}\n\n`);
}
