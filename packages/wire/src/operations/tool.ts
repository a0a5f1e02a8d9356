import { Epoch, IdempotencyKey, SessionRef, TeamCredential } from "../core/values.js";
import { type DescribedSchema, describeSchema } from "./json-schema.js";
import type { Operation } from "./operation.js";

/** A tool as `tools/list` shows it (MCP-10). An agent carries it all the time, so it holds nothing that could be left out. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object" } & Readonly<Record<string, unknown>>;
  /** The form of `structuredContent`, where that is given (MCP-17). */
  readonly outputSchema?: { readonly type: "object" } & Readonly<Record<string, unknown>>;
  /** Left out where the tool changes something, which clients assume. */
  readonly annotations?: { readonly readOnlyHint: true };
}

/** An operation as an MCP tool. */
export function toTool({ name, summary, input, readOnly, unlisted }: Operation): ListedTool {
  const { schema, shared } = describeSchema(input, "input", "#/$defs/", "lean");
  if (Array.isArray(unlisted)) for (const property of unlisted) delete schema.properties?.[property];
  for (const property of Object.values(schema.properties ?? {})) {
    if (typeof property === "object" && saidForAllTools.has(property.description))
      delete property.description;
  }
  return {
    name,
    description: summary,
    inputSchema: toObjectSchema({ schema, shared }),
    ...(readOnly && { annotations: { readOnlyHint: true } }),
  };
}

/** The tool with the form of what it answers. */
export function withOutputSchema(tool: ListedTool, { output }: Operation): ListedTool {
  return { ...tool, outputSchema: toObjectSchema(describeSchema(output, "output", "#/$defs/", "lean")) };
}

function toObjectSchema({ schema, shared }: DescribedSchema): ListedTool["inputSchema"] {
  const $defs = Object.keys(shared).length > 0 ? { $defs: shared } : {};
  return { ...schema, ...$defs, type: "object" };
}

/** The descriptions of inputs that mean the same in every tool: the server's instructions give them once (MCP-10). */
const saidForAllTools: ReadonlySet<string | undefined> = new Set(
  [SessionRef, TeamCredential, IdempotencyKey, Epoch].map((schema) => schema.meta()?.description),
);
