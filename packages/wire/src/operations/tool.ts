import { Epoch, IdempotencyKey, SessionRef, TeamCredential } from "../core/values.js";
import { type DescribedSchema, describeSchema, type SchemaDetail } from "./json-schema.js";
import type { Operation } from "./operation.js";

/** A tool as `tools/list` returns it (MCP-10). */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object" } & Readonly<Record<string, unknown>>;
  /** Schema of `structuredContent`, if the tool returns that (MCP-17). */
  readonly outputSchema?: { readonly type: "object" } & Readonly<Record<string, unknown>>;
  /** Undefined if the tool can change something, as clients then assume by default. */
  readonly annotations?: { readonly readOnlyHint: true };
  readonly _meta?: Readonly<Record<string, unknown>>;
}

type ListDetail = Exclude<SchemaDetail, "full">;

/**
 * Converts an operation to an MCP tool. With `lean`, the tool contains only the indispensable parts, because
 * it stays in an agent's context.
 */
export function toTool(
  { name, summary, input, readOnly, unlisted, kind }: Operation,
  detail: ListDetail = "lean",
): ListedTool {
  const { schema, shared } = describeSchema(input, "input", "#/$defs/", detail);
  if (Array.isArray(unlisted)) for (const property of unlisted) delete schema.properties?.[property];
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    if (typeof property !== "object") continue;
    if (detail === "lean" && commonDescriptions.has(property.description)) delete property.description;
    // Over MCP, a setting defines the default timeout, so the schema must not (MCP-15).
    if (kind === "wait" && field === "timeout") delete property.default;
  }
  return {
    name,
    description: summary,
    inputSchema: toObjectSchema({ schema, shared }),
    ...(readOnly && { annotations: { readOnlyHint: true } }),
  };
}

/** Adds the schema of an operation's output to its tool. */
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

/**
 * Descriptions of inputs that have the same meaning in all tools. The server's instructions contain these
 * descriptions once, so tools omit them (MCP-10).
 */
const commonDescriptions: ReadonlySet<string | undefined> = new Set(
  [SessionRef, TeamCredential, IdempotencyKey, Epoch].map((schema) => schema.meta()?.description),
);
