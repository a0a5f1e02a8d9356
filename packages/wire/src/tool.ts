import { describeSchema } from "./json-schema.js";
import type { Operation } from "./operation.js";

/** A tool as `tools/list` shows it (MCP-10). An agent carries it all the time, so it holds nothing that could be left out. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object" } & Readonly<Record<string, unknown>>;
  /** Left out where the tool changes something, which clients assume. */
  readonly annotations?: { readonly readOnlyHint: true };
}

/** An operation as an MCP tool. */
export function toTool({ name, summary, input, readOnly }: Operation): ListedTool {
  const { schema, shared } = describeSchema(input, "input", "#/$defs/", "lean");
  const $defs = Object.keys(shared).length > 0 ? { $defs: shared } : {};
  return {
    name,
    description: summary,
    inputSchema: { ...schema, ...$defs, type: "object" },
    ...(readOnly && { annotations: { readOnlyHint: true } }),
  };
}
