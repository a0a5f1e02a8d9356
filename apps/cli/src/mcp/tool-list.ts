import { canOmitSession, type ListedTool, MerkleError, type Operation, type Toolset } from "@merkle/wire";
import { findOperation, operations, toTool, withOutputSchema } from "@merkle/wire/schemas";
import { findNearest } from "@merkle/wire/text";
import type { JsonFields } from "../core/is-object.js";

/**
 * Inputs that are left out of the tool list, because the server fills them in or only programs and people use
 * them.
 */
const unlisted: readonly string[] = ["team_id", "idempotency_key", "epoch"];

/** The tool that returns further pieces of a long result. This server handles it itself. */
export const readMore: ListedTool = {
  name: "read_more",
  description: "Read the next part of a long result; its first line names the id.",
  inputSchema: {
    type: "object",
    properties: { id: { type: "string" } },
    required: ["id"],
  },
  annotations: { readOnlyHint: true },
};

interface ListOptions {
  readonly structured?: boolean;
  readonly onlyTools?: boolean;
  /** Whether the server starts in a session, so that the model needs some tools from the start (STDIO-14). */
  readonly isInSession?: boolean;
}

/** Makes Claude Code load a tool upfront. It otherwise loads the tools of MCP servers on demand. */
const loadUpfront = { "anthropic/alwaysLoad": true };

/**
 * Returns the tools of these toolsets as the model sees them (STDIO-2). The list can be in the model's
 * context all the time, so it contains only the necessary tools and inputs. Tools and inputs that are not
 * listed still work.
 */
export function listTools(
  toolsets: ReadonlySet<Toolset>,
  { structured = false, onlyTools = false, isInSession = false }: ListOptions = {},
): ListedTool[] {
  const listed = operations.filter(
    (operation) =>
      toolsets.has(operation.toolset) &&
      isForAgents(operation) &&
      operation.unlisted !== true &&
      operation.unlistedOverStdio !== true,
  );
  const described = listed.map((operation) => {
    const tool = toStdioTool(operation, { whole: onlyTools });
    const listed = structured ? withOutputSchema(tool, operation) : tool;
    return isInSession && operation.loadedUpfront ? { ...listed, _meta: loadUpfront } : listed;
  });
  return onlyTools ? described : [...described, readMore];
}

/**
 * Returns the operation that a tool call names, whether or not it is listed (STDIO-2). Operations that a
 * team's credential does not cover, such as those for members and admins, require that `--tools` names their
 * toolset.
 *
 * @throws not_found for an unknown tool; forbidden for a tool that this agent may not use
 */
export function requireTool(name: string, toolsets: ReadonlySet<Toolset>): Operation {
  const operation = findOperation(name);
  if (!operation) throw unknownTool(name);
  if (!isForAgents(operation)) throw humansOnly(name);
  if (toolsets.has(operation.toolset) || isOpenToTeams(operation)) return operation;
  throw new MerkleError(
    "forbidden",
    `Agents cannot use ${name} unless their human allows it, with merkle mcp --tools ${operation.toolset}.`,
  );
}

/**
 * Returns whether agents may call the operation. Operations that make decisions about agents are reserved for
 * humans (PERSON-11).
 */
function isForAgents({ human, notForModels }: Pick<Operation, "human" | "notForModels">): boolean {
  return notForModels !== true && (human === undefined || human === "person");
}

/** Returns whether a team may call the operation regardless of the rights of the person it belongs to. */
function isOpenToTeams({ toolset, access, readOnly }: Operation): boolean {
  if (toolset === "admin") return false;
  return access === "team" || access === "open" || (access === "reader" && readOnly);
}

function humansOnly(name: string): MerkleError {
  return new MerkleError(
    "forbidden",
    "Only a human can do this. Ask yours to do it in the dashboard, or with merkle in their own terminal.",
    { operation: name },
  );
}

function unknownTool(name: string): MerkleError {
  const requestedName = name.slice(0, 100);
  const suggestion = findNearest(
    requestedName,
    operations.filter((each) => isForAgents(each) && each.unlisted !== true).map((each) => each.name),
  );
  return new MerkleError(
    "not_found",
    `There is no tool "${requestedName}".${suggestion === undefined ? "" : ` Did you mean ${suggestion}?`} List the tools to see their names.`,
  );
}

/** Returns an operation's inputs that the tool list shows. */
export function listShownFields(operation: Operation): string[] {
  return Object.keys(Object(toStdioTool(operation).inputSchema["properties"]));
}

/**
 * Converts an operation to a tool of this server.
 *
 * @param whole - whether to include inputs that models rarely need
 */
function toStdioTool(operation: Operation, { whole = false } = {}): ListedTool {
  const tool = toTool(operation);
  const { properties, required } = tool.inputSchema;
  const hidden = [
    ...unlisted,
    ...(!whole && Array.isArray(operation.unlistedOverStdio) ? operation.unlistedOverStdio : []),
  ];
  const session = canOmitSession(operation) && { session_id: optionalSession };
  const listed = Object.entries({
    ...Object(properties),
    ...session,
    ...(operation.filesField !== undefined && takePaths(Object(properties), operation.filesField)),
  }).filter(([name]) => !hidden.includes(name));
  const optionalNames = new Set([...(session ? ["session_id"] : []), "projectId"]);
  const names = Array.isArray(required) ? required.filter((name) => !optionalNames.has(name)) : [];
  return {
    ...tool,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(listed.map(([name, schema]) => [name, withoutBounds(schema)])),
      ...(names.length > 0 && { required: names }),
    },
  };
}

/** Replaces the uploaded files in a tool's input with the paths of files, which this server uploads (ATTACH-24). */
function takePaths(inputs: JsonFields, filesField: string): JsonFields {
  const { properties, ...field } = Object(inputs[filesField]);
  const { attachments: _uploaded, ...others } = Object(properties);
  const items = { type: "string" };
  return {
    [filesField]: { ...field, properties: others },
    files: { description: "Paths of files in your project to attach.", type: "array", items },
  };
}

/** Removes the length limits of arrays from a schema. The broker checks the lengths. */
function withoutBounds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutBounds);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([name]) => name !== "minItems" && name !== "maxItems");
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutBounds(value)]));
}

/**
 * The schema of a session input without a description. The server's instructions explain which session is the
 * default.
 */
const optionalSession = { type: "string" };
