import { type Operation, operations } from "@merkle/wire";
import { describeSchema } from "../json-schema.js";

/** A tool as `tools/list` shows it (MCP-10). */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object" } & Readonly<Record<string, unknown>>;
  readonly annotations: { readonly readOnlyHint: boolean };
}

/** Every operation as a tool. An agent carries this list all the time, so it holds nothing that could be left out. */
export const tools: ReadonlyMap<Operation, ListedTool> = new Map(
  operations.map((each) => [each, toTool(each)]),
);

function toTool({ name, summary, input, readOnly }: Operation): ListedTool {
  const { schema, shared } = describeSchema(input, "input", "#/$defs/");
  const $defs = Object.keys(shared).length > 0 ? { $defs: shared } : {};
  return {
    name,
    description: summary,
    inputSchema: { ...schema, ...$defs, type: "object" },
    annotations: { readOnlyHint: readOnly },
  };
}
