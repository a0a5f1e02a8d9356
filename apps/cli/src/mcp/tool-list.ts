import {
  type ListedTool,
  type Operation,
  type OperationName,
  operations,
  type Toolset,
  toTool,
} from "@merkle/wire";

/** What this server keeps, so that no model has to: these inputs are not listed. Given nevertheless, they are passed on. */
const kept = ["team_id", "idempotency_key", "epoch"];
const keptOf: Partial<Record<OperationName, readonly string[]>> = { wait_for_messages: ["since_cursor"] };

const readMore: ListedTool = {
  name: "read_more",
  description: "Read the next part of a long result. Its first line names the id.",
  inputSchema: {
    type: "object",
    properties: { id: { type: "string" } },
    required: ["id"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
};

/** The operations of these toolsets, as the model sees them (STDIO-2). */
export function listTools(toolsets: ReadonlySet<Toolset>): ListedTool[] {
  return [...offeredOperations(toolsets).map(toStdioTool), readMore];
}

export function offeredOperations(toolsets: ReadonlySet<Toolset>): readonly Operation[] {
  return operations.filter(({ toolset }) => toolsets.has(toolset));
}

/** Whether a session that is not named is the one joined last. */
export function takesLastSession({ name, route }: Pick<Operation, "name" | "route">): boolean {
  return route.includes(":session_id") && name !== "join_session";
}

function toStdioTool(operation: Operation): ListedTool {
  const tool = toTool(operation);
  const { properties, required } = tool.inputSchema;
  const hidden = new Set([...kept, ...(keptOf[operation.name as OperationName] ?? [])]);
  const session = takesLastSession(operation) && { session_id: optionalSession };
  const listed = Object.entries({ ...Object(properties), ...session }).filter(([name]) => !hidden.has(name));
  const names = Array.isArray(required) ? required.filter((name) => !(session && name === "session_id")) : [];
  const { required: _, ...schema } = tool.inputSchema;
  return {
    ...tool,
    inputSchema: {
      ...schema,
      properties: Object.fromEntries(listed),
      ...(names.length > 0 && { required: names }),
    },
  };
}

const optionalSession = { type: "string", description: "Its id or slug; left out, the one you joined last." };
