import type { Dialect } from "../../claude/kit/scripted-model.js";
import type { Block, RequestMessage } from "../../claude/kit/shown.js";
import { writeEvents } from "./responses-api.js";

/** The format of Gemini's model API, for use with the scripted model from the Claude Code tests. */
export const geminiApi: Dialect = {
  // Both `generateContent` and `streamGenerateContent`.
  path: "enerateContent",
  read(body) {
    const { contents, tools = [] } = Object(JSON.parse(body));
    const declared = tools.flatMap((each: object) => Object(each).functionDeclarations ?? []);
    return { model: "gemini", tools: declared, messages: contents.map(toMessage) };
  },
  write(response, _, answer) {
    const parts =
      "text" in answer
        ? [{ text: answer.text }]
        : answer.calls.map(({ tool, input }) => ({ functionCall: { name: tool, args: input } }));
    const content = { role: "model", parts };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    writeEvents(response, [{ candidates: [{ content, finishReason: "STOP", index: 0 }], usageMetadata }]);
  },
};

function toMessage(content: Readonly<Record<string, unknown>>): RequestMessage {
  const { role, parts = [] } = Object(content);
  return { role: role === "model" ? "assistant" : "user", content: parts.map(toBlock) };
}

function toBlock({ text, functionCall, functionResponse }: Readonly<Record<string, unknown>>): Block {
  if (functionCall) return { type: "tool_use", name: Object(functionCall).name };
  if (functionResponse) return { type: "tool_result", content: toResult(functionResponse) };
  return { type: "text", text: String(text ?? "") };
}

/** Returns the result's text, with line breaks as the tool returned them. */
function toResult(functionResponse: unknown): string {
  const { output, ...rest } = Object(Object(functionResponse).response);
  return typeof output === "string" ? output : JSON.stringify({ output, ...rest });
}
