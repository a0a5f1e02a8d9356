import type { ListedTool, Operation } from "@merkle/wire";
import { operations, toTool } from "@merkle/wire/schemas";

/** Every operation that an agent needs as a tool, made once: clients ask for the list often (MCP-10). */
export const tools: ReadonlyMap<Operation, ListedTool> = new Map(
  operations.filter(({ unlisted }) => unlisted !== true).map((each) => [each, toTool(each)]),
);
