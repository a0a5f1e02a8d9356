import type { ListedTool, Operation } from "@merkle/wire";
import { operations, toTool, withOutputSchema } from "@merkle/wire/schemas";

type Tools = ReadonlyMap<Operation, ListedTool>;

let plain: Tools | undefined;
let described: Tools | undefined;

/**
 * Returns every operation for agents as a tool. The list is built once, at the first request, because clients
 * list tools often (MCP-10).
 */
export function listedTools(): Tools {
  plain ??= new Map(
    operations.filter(({ unlisted }) => unlisted !== true).map((each) => [each, toTool(each, "listed")]),
  );
  return plain;
}

/** Returns the same tools as `listedTools`, with output schemas for clients that use them (MCP-17). */
export function toolsWithOutput(): Tools {
  described ??= new Map(
    [...listedTools()].map(([operation, tool]) => [operation, withOutputSchema(tool, operation, "listed")]),
  );
  return described;
}
