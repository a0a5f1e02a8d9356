import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Dialect } from "../../claude/kit/scripted-model.js";
import type { RequestMessage } from "../../claude/kit/shown.js";
import { writeEvents } from "./responses-api.js";

/** The format of OpenCode's model API, for use with the scripted model from the Claude Code tests. */
export const chatApi: Dialect = {
  path: "/chat/completions",
  read(body) {
    const { model, messages, tools, stream } = Object(JSON.parse(body));
    return { model, tools, stream, messages: messages.map(toMessage) };
  },
  write(response, { stream = false }, answer) {
    if ("text" in answer) return writeChat(response, answer.text, stream);
    const [{ tool, input } = { tool: "", input: {} }] = answer.calls;
    writeChat(response, { name: tool, arguments: JSON.stringify(input) }, stream);
  },
};

function toMessage(message: Readonly<Record<string, unknown>>): RequestMessage {
  const { role, content, tool_calls } = Object(message);
  if (role === "tool") return { role: "user", content: [{ type: "tool_result", content }] };
  const said = role === "assistant" || role === "user" ? role : "system";
  return { role: said, content: tool_calls === undefined ? content : [] };
}

/** Replies with text or a tool call. */
export function writeChat(
  response: ServerResponse,
  said: string | { readonly name: string; readonly arguments: string },
  stream: boolean,
): void {
  const id = randomUUID();
  const isText = typeof said === "string";
  const message = isText
    ? { role: "assistant", content: said }
    : {
        ...{ role: "assistant", content: null },
        tool_calls: [{ index: 0, id: `call_${id}`, type: "function", function: said }],
      };
  const finish_reason = isText ? "stop" : "tool_calls";
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const base = { id, created: 1, model: "fake" };
  if (!stream) {
    const choices = [{ index: 0, message, finish_reason }];
    response.writeHead(200, { "content-type": "application/json" });
    return void response.end(JSON.stringify({ ...base, object: "chat.completion", choices, usage }));
  }
  const chunk = (delta: object, reason: string | null) => ({
    ...{ ...base, object: "chat.completion.chunk" },
    choices: [{ index: 0, delta, finish_reason: reason }],
    ...(reason !== null && { usage }),
  });
  writeEvents(response, [chunk(message, null), chunk({}, finish_reason)], "[DONE]");
}
