import type { ListedTool, Operation } from "@merkle/wire";
import { operations, toTool, withOutputSchema } from "@merkle/wire/schemas";

/** Every operation that an agent needs as a tool, made once: clients ask for the list often (MCP-10). */
export const tools: ReadonlyMap<Operation, ListedTool> = new Map(
  operations.filter(({ unlisted }) => unlisted !== true).map((each) => [each, toTool(each)]),
);

let described: ReadonlyMap<Operation, ListedTool> | undefined;

/** The same with the form of each output, for those who read it (MCP-17); made when somebody asks first. */
export function toolsWithOutput(): ReadonlyMap<Operation, ListedTool> {
  described ??= new Map(
    [...tools].map(([operation, tool]) => [operation, withOutputSchema(tool, operation)]),
  );
  return described;
}
