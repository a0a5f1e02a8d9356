import type { ListedTool, Operation } from "@merkle/wire";
import { operations, toTool, withOutputSchema } from "@merkle/wire/schemas";

type ToolMap = ReadonlyMap<Operation, ListedTool>;

let plain: ToolMap | undefined;
let described: ToolMap | undefined;

/**
 * Returns every operation for agents as a tool. The list is built once, at the first request, because clients
 * list tools often (MCP-10).
 */
export function getListedTools(): ToolMap {
  plain ??= new Map(
    operations.filter(({ unlisted }) => unlisted !== true).map((each) => [each, toTool(each, "listed")]),
  );
  return plain;
}

/** Returns the same tools as `getListedTools`, with output schemas for clients that use them (MCP-17). */
export function getToolsWithOutput(): ToolMap {
  described ??= new Map(
    [...getListedTools()].map(([operation, tool]) => [
      operation,
      withOutputSchema(tool, operation, "listed"),
    ]),
  );
  return described;
}
