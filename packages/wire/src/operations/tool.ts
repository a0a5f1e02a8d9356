import { Epoch, IdempotencyKey, SessionRef, TeamCredential } from "../core/values.js";
import { type DescribedSchema, describeSchema, type SchemaDetail } from "./json-schema.js";
import type { Operation } from "./operation.js";

/** A tool as `tools/list` shows it (MCP-10). */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object" } & Readonly<Record<string, unknown>>;
  /** The form of `structuredContent`, where that is given (MCP-17). */
  readonly outputSchema?: { readonly type: "object" } & Readonly<Record<string, unknown>>;
  /** Left out where the tool changes something, which clients assume. */
  readonly annotations?: { readonly readOnlyHint: true };
}

type ListDetail = Exclude<SchemaDetail, "full">;

/** An operation as an MCP tool: `lean` holds nothing that could be left out, since an agent carries it all the time. */
export function toTool(
  { name, summary, input, readOnly, unlisted, kind }: Operation,
  detail: ListDetail = "lean",
): ListedTool {
  const { schema, shared } = describeSchema(input, "input", "#/$defs/", detail);
  if (Array.isArray(unlisted)) for (const property of unlisted) delete schema.properties?.[property];
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    if (typeof property !== "object") continue;
    if (detail === "lean" && saidForAllTools.has(property.description)) delete property.description;
    // Over MCP it is a setting (MCP-15).
    if (kind === "wait" && field === "timeout") delete property.default;
  }
  return {
    name,
    description: summary,
    inputSchema: toObjectSchema({ schema, shared }),
    ...(readOnly && { annotations: { readOnlyHint: true } }),
  };
}

/** The tool with the form of what it answers. */
export function withOutputSchema(
  tool: ListedTool,
  { output }: Operation,
  detail: ListDetail = "lean",
): ListedTool {
  return { ...tool, outputSchema: toObjectSchema(describeSchema(output, "output", "#/$defs/", detail)) };
}

function toObjectSchema({ schema, shared }: DescribedSchema): ListedTool["inputSchema"] {
  const $defs = Object.keys(shared).length > 0 ? { $defs: shared } : {};
  return { ...schema, ...$defs, type: "object" };
}

/** The descriptions of inputs that mean the same in every tool: the server's instructions give them once (MCP-10). */
const saidForAllTools: ReadonlySet<string | undefined> = new Set(
  [SessionRef, TeamCredential, IdempotencyKey, Epoch].map((schema) => schema.meta()?.description),
);
