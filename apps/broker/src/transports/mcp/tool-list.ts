import { type ListedTool, type Operation, operations, toTool } from "@merkle/wire";

/** Every operation that an agent needs as a tool, made once: clients ask for the list often (MCP-10). */
export const tools: ReadonlyMap<Operation, ListedTool> = new Map(
  operations.filter(({ unlisted }) => unlisted !== true).map((each) => [each, toTool(each)]),
);
