import type { ListedTool, Operation } from "@merkle/wire";
import { operations, toTool, withOutputSchema } from "@merkle/wire/schemas";

type Tools = ReadonlyMap<Operation, ListedTool>;

let plain: Tools | undefined;
let described: Tools | undefined;

/** Every operation that an agent needs as a tool, made once, when somebody asks first: clients ask for the list often (MCP-10). */
export function listedTools(): Tools {
  plain ??= new Map(
    operations.filter(({ unlisted }) => unlisted !== true).map((each) => [each, toTool(each, "listed")]),
  );
  return plain;
}

/** The same with the form of each output, for those who read it (MCP-17). */
export function toolsWithOutput(): Tools {
  described ??= new Map(
    [...listedTools()].map(([operation, tool]) => [operation, withOutputSchema(tool, operation, "listed")]),
  );
  return described;
}
