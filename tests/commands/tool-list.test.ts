import { defaultToolsets } from "@merkle/wire";
import { expect, it } from "vitest";
import { readMcpOptions } from "../../apps/cli/src/mcp/options.js";
import { listTools } from "../../apps/cli/src/mcp/tool-list.js";

it("[STDIO-2] it has the whole surface of state, memory and progress", () => {
  const names = listTools(new Set(defaultToolsets)).map(({ name }) => name);
  const state = ["set_state", "get_state", "list_state", "watch_state"];
  const lasting = ["remember", "recall", "forget", "log_progress", "search_logs", "get_context"];
  expect(names).toEqual(expect.arrayContaining([...state, ...lasting]));
});

it("[STDIO-2] --only-tools progress lists the three tools of the progress log, with every input", () => {
  const { toolsets, onlyTools } = readMcpOptions({ onlyTools: "progress" });
  const tools = listTools(toolsets, { onlyTools });
  expect(tools.map(({ name }) => name)).toEqual(["log_progress", "get_context", "search_logs"]);
  const inputsOf = ({ inputSchema }: (typeof tools)[number]) =>
    Object.keys(Object(inputSchema["properties"]));
  expect(tools.map(inputsOf)).toEqual([
    ["projectId", "title", "content", "tags", "agentId"],
    ["projectId", "id", "includeFull"],
    ["projectId", "query", "content", "tags", "startDate", "endDate", "limit"],
  ]);
  expect(() => readMcpOptions({ onlyTools: "progress", tools: "audit" })).toThrow("leave out --tools");
  expect(() => readMcpOptions({ onlyTools: "" })).toThrow("--only-tools needs a toolset");
});
