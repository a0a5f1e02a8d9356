import { type ListedTool, MerkleError, type Operation, type Toolset, takesOnlySession } from "@merkle/wire";
import { findOperation, operations, toTool, withOutputSchema } from "@merkle/wire/schemas";
import { nearest } from "@merkle/wire/text";

/** Fields that are an input of no tool: this server keeps them, or only programs and people ask for them. */
const unlisted: readonly string[] = ["team_id", "idempotency_key", "epoch"];

/** A tool of this server's own. */
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

/**
 * The operations of these toolsets, as the model sees them (STDIO-2). It carries them all the time, so that only what it
 * needs is listed; what is not, it may call and give nevertheless.
 */
export function listTools(
  toolsets: ReadonlySet<Toolset>,
  { structured = false, onlyTools = false }: { structured?: boolean; onlyTools?: boolean } = {},
): ListedTool[] {
  const listed = operations.filter(
    (operation) =>
      toolsets.has(operation.toolset) &&
      isAgents(operation) &&
      operation.unlisted !== true &&
      operation.unlistedOverStdio !== true,
  );
  const described = listed.map((operation) => {
    const tool = toStdioTool(operation, { whole: onlyTools });
    return structured ? withOutputSchema(tool, operation) : tool;
  });
  return onlyTools ? described : [...described, readMore];
}

/**
 * The operation that a tool call names, listed or not (STDIO-2). One that is nobody's team's to do, such as what is for members
 * and admins, is not done by an agent whose human did not name its toolset.
 *
 * @throws not_found for what is none; forbidden for what is not this agent's
 */
export function requireTool(name: string, toolsets: ReadonlySet<Toolset>): Operation {
  const operation = findOperation(name);
  if (!operation) throw unknownTool(name);
  if (!isAgents(operation)) throw humansOnly(name);
  if (toolsets.has(operation.toolset) || isTeams(operation)) return operation;
  throw new MerkleError(
    "forbidden",
    `Agents cannot use ${name} unless their human allows it, with merkle mcp --tools ${operation.toolset}.`,
  );
}

/** Whether agents may call it: an operation that decides about agents is no tool of theirs (PERSON-11). */
function isAgents({ human, notForModels }: Pick<Operation, "human" | "notForModels">): boolean {
  return notForModels !== true && (human === undefined || human === "person");
}

/** Whether a team may do it whoever its human is: the member's key that this server came with opens nothing more. */
function isTeams({ toolset, access, readOnly }: Operation): boolean {
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
  const asked = name.slice(0, 100);
  const meant = nearest(
    asked,
    operations.filter((each) => isAgents(each) && each.unlisted !== true).map((each) => each.name),
  );
  return new MerkleError(
    "not_found",
    `There is no tool "${asked}".${meant === undefined ? "" : ` Did you mean ${meant}?`} List the tools to see their names.`,
  );
}

/** The inputs that the list has of an operation. */
export function listedFields(operation: Operation): string[] {
  return Object.keys(Object(toStdioTool(operation).inputSchema["properties"]));
}

/** @param whole - with the inputs that a model hardly needs */
function toStdioTool(operation: Operation, { whole = false } = {}): ListedTool {
  const tool = toTool(operation);
  const { properties, required } = tool.inputSchema;
  const hidden = [
    ...unlisted,
    ...(!whole && Array.isArray(operation.unlistedOverStdio) ? operation.unlistedOverStdio : []),
  ];
  const session = takesOnlySession(operation) && { session_id: optionalSession };
  const listed = Object.entries({ ...Object(properties), ...session }).filter(
    ([name]) => !hidden.includes(name),
  );
  const left = new Set([...(session ? ["session_id"] : []), "projectId"]);
  const names = Array.isArray(required) ? required.filter((name) => !left.has(name)) : [];
  return {
    ...tool,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(listed.map(([name, schema]) => [name, withoutBounds(schema)])),
      ...(names.length > 0 && { required: names }),
    },
  };
}

/** How long a list may be, the broker says when it is longer. */
function withoutBounds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutBounds);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([name]) => name !== "minItems" && name !== "maxItems");
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutBounds(value)]));
}

/** The instructions say once for all tools which session this is when it is left out. */
const optionalSession = { type: "string" };
