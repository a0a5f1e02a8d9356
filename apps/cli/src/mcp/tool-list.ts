import {
  type ListedTool,
  type Operation,
  type OperationName,
  operations,
  type Toolset,
  toTool,
} from "@merkle/wire";

/** What this server does itself: it keeps the place and the credential, and its human has chosen the broker. */
const done: ReadonlySet<string> = new Set<OperationName>(["ack", "rotate_team_credential", "get_app_info"]);

/** What a model hardly needs beside the others: list_peers has the teams, too, and read_session_doc any version. */
const seldom: ReadonlySet<string> = new Set<OperationName>(["list_participants", "list_doc_versions"]);

/** What this server keeps, or what only programs and people ask for: these inputs are not listed. */
const unlisted: ReadonlySet<string> = new Set(["team_id", "idempotency_key", "epoch"]);
const unlistedOf: Partial<Record<OperationName, ReadonlySet<string>>> = {
  create_session: new Set(["settings"]),
  // What this server says of its machine and its client; and what set_summary is for.
  join_session: new Set(["capabilities", "cwd", "machine", "session_key", "key_card", "summary"]),
  list_peers: new Set(["include_left"]),
  list_sessions: new Set(["limit"]),
  list_participants: new Set(["include_folded"]),
  update_session_doc: new Set(["include_content"]),
  post_message: new Set(["type"]),
  set_status: new Set(["automatic"]),
  wait_for_messages: new Set(["since_cursor", "include_own"]),
};

const readMore: ListedTool = {
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
    ({ name, unlisted }) => unlisted !== true && !done.has(name) && !seldom.has(name),
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
export function takesLastSession({ name, route }: Pick<Operation, "name" | "route">): boolean {
  return route.includes(":session_id") && name !== "join_session";
}

function toStdioTool(operation: Operation): ListedTool {
  const tool = toTool(operation);
  const { properties, required } = tool.inputSchema;
  const hidden = unlistedOf[operation.name as OperationName];
  const session = takesLastSession(operation) && { session_id: optionalSession };
  const listed = Object.entries({ ...Object(properties), ...session }).filter(
    ([name]) => !unlisted.has(name) && !hidden?.has(name),
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
