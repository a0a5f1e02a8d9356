import type { ListedTool, Operation, Toolset } from "@merkle/wire";
import { operations, toTool } from "@merkle/wire/schemas";

/** What this server keeps, or what only programs and people ask for, is an input of no tool. */
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
 * needs is listed; what is not, a program may call and give nevertheless.
 */
export function listTools(toolsets: ReadonlySet<Toolset>): ListedTool[] {
  const listed = offeredOperations(toolsets).filter(
    ({ unlisted, unlistedOverStdio }) => unlisted !== true && unlistedOverStdio !== true,
  );
  return [...listed.map(toStdioTool), readMore];
}

/** What decides about agents is no tool of theirs (PERSON-11). */
export function offeredOperations(toolsets: ReadonlySet<Toolset>): readonly Operation[] {
  return operations.filter(
    ({ toolset, human }) => toolsets.has(toolset) && (human === undefined || human === "person"),
  );
}

/** Whether a session that is not named is the one joined last. */
export function takesLastSession({
  route,
  teamCredential,
}: Pick<Operation, "route" | "teamCredential">): boolean {
  return route.includes(":session_id") && teamCredential !== "given";
}

function toStdioTool(operation: Operation): ListedTool {
  const tool = toTool(operation);
  const { properties, required } = tool.inputSchema;
  const hidden = [
    ...unlisted,
    ...(Array.isArray(operation.unlistedOverStdio) ? operation.unlistedOverStdio : []),
  ];
  const session = takesLastSession(operation) && { session_id: optionalSession };
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

/** What it names, and when it may be left out, the instructions say once for all tools. */
const optionalSession = { type: "string" };
