import {
  commonErrors,
  type ErrorCode,
  errorCodes,
  errorMeanings,
  isSessionOperation,
  isStreamable,
  type JsonSchema,
  type Operation,
} from "@merkle/wire";
import { describeSchema, operations } from "@merkle/wire/schemas";

interface OpenApiOptions {
  /** The address at which callers reach the broker, without any path. */
  readonly baseUrl: string;
  readonly version: string;
}

/**
 * Creates an OpenAPI 3.1 document for the REST transport, with exactly the routes in the operation catalogue
 * (OPS-4).
 */
export function createOpenApi({ baseUrl, version }: OpenApiOptions): object {
  const schemas = new Map([["Error", errorSchema]]);
  const paths = describePaths(schemas);
  return {
    openapi: "3.1.1",
    info: {
      title: "Merkle",
      version,
      summary: "Coding agents of different people, on different machines, work together.",
      license: { name: "MIT", identifier: "MIT" },
    },
    externalDocs: { url: `${baseUrl}/agents.md`, description: "The same operations, explained to an agent." },
    servers: [{ url: baseUrl }],
    tags: [...new Set(operations.map((each) => each.toolset))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(schemas),
      responses: describeErrorResponses(operations),
      parameters: { IdempotencyKey: idempotencyKey, LastEventID: lastEventId },
      securitySchemes: { TeamCredential: teamCredential },
    },
  };
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  description: "The same as idempotency_key in the body; it takes precedence.",
  schema: { type: "string" },
};

const lastEventId = {
  name: "Last-Event-ID",
  in: "header",
  description:
    "The same as since_cursor; it takes precedence. A browser's EventSource sends it when it reconnects.",
  schema: { type: "integer", minimum: 0 },
};

const teamCredential = {
  type: "apiKey",
  in: "header",
  name: "X-Team-ID",
  description:
    "The team_id that create_session or join_session returned. The field team_id of a body works, too, and takes precedence over the header.",
};

/** The schemas that operations share, by name. Filled while operations are described. */
type Schemas = Map<string, JsonSchema>;

function describePaths(schemas: Schemas): Record<string, Record<string, OpenApiValue>> {
  const paths: Record<string, Record<string, OpenApiValue>> = {};
  for (const operation of operations) {
    const [method = "", route = ""] = operation.route.split(" ");
    const path = route.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(operation, schemas) };
  }
  return paths;
}

function describeOperation(operation: Operation, schemas: Schemas): OpenApiValue {
  const input = describe(operation, "input", schemas);
  const pathParameters = [...operation.route.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const inputLocation = operation.route.startsWith("GET ") ? "query" : "body";
  const parameters = [
    ...toParameters(
      "path",
      pickProperties(input, (name) => pathParameters.includes(name)),
    ),
    // A credential in a URL would end up in logs and histories, so it must be sent in the header (AUTH-2).
    ...(inputLocation === "query"
      ? toParameters(
          "query",
          pickProperties(input, (name) => !pathParameters.includes(name) && name !== "team_id"),
        )
      : []),
    ...(isStreamable(operation) ? [{ $ref: "#/components/parameters/LastEventID" }] : []),
    ...(hasProperty(input, "idempotency_key") ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
  ];
  return {
    operationId: operation.name,
    tags: [operation.toolset],
    description: operation.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(inputLocation === "body" && {
      requestBody: toBody(pickProperties(input, (name) => !pathParameters.includes(name))),
    }),
    responses: { 200: describeSuccess(operation, schemas), ...describeResponses(operation) },
    security: describeSecurity(operation, input),
    "x-rate-class": operation.rate,
  };
}

function describe(operation: Operation, io: "input" | "output", schemas: Schemas): JsonSchema {
  const { schema, shared } = describeSchema(operation[io], io, "#/components/schemas/");
  for (const [name, described] of Object.entries(shared)) {
    const existing = schemas.get(name) ?? described;
    if (JSON.stringify(existing) !== JSON.stringify(described)) {
      throw new Error(`${operation.name} has another schema "${name}" than the operations before it.`);
    }
    schemas.set(name, existing);
  }
  return schema;
}

/** Returns an object schema reduced to some of its properties. */
function pickProperties(schema: JsonSchema, isWanted: (name: string) => boolean): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => isWanted(name));
  const required = (schema.required ?? []).filter(isWanted);
  const { required: _all, ...rest } = schema;
  return { ...rest, properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) };
}

function hasProperty(schema: JsonSchema, name: string): boolean {
  return Object.hasOwn(schema.properties ?? {}, name);
}

function toParameters(parameterLocation: "path" | "query", schema: JsonSchema): OpenApiValue[] {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = typeof property === "object" ? property : {};
    const isRequired = (schema.required ?? []).includes(name);
    // A list in a query is one parameter, with commas between the elements.
    const isList = parameterLocation === "query" && rest.type === "array";
    return {
      name,
      in: parameterLocation,
      required: isRequired,
      ...(description !== undefined && { description }),
      ...(isList && { style: "form", explode: false }),
      schema: rest,
    };
  });
}

function toBody(schema: JsonSchema): OpenApiValue {
  return { required: schema.required !== undefined, content: { "application/json": { schema } } };
}

function describeSuccess(operation: Operation, schemas: Schemas): OpenApiValue {
  const json = { schema: describe(operation, "output", schemas) };
  if (!isStreamable(operation)) return { description: "Done.", content: { "application/json": json } };
  const stream = { schema: { type: "string", description: streamDescription } };
  return {
    description: "Messages, or none after the timeout.",
    content: { "application/json": json, "text/event-stream": stream },
  };
}

const streamDescription =
  "Comment lines while it blocks; then one event `messages`, whose data is the JSON of the plain answer and whose id is " +
  "next_cursor, or one event `error`, whose data is an Error; then the end.";

/**
 * Returns the accepted security schemes, any one of which is enough. The empty scheme means that no
 * credential is needed (AUTH-4).
 */
function describeSecurity(operation: Operation, input: JsonSchema): OpenApiValue[] {
  const isConcerned = isSessionOperation(operation) || operation.access === "team";
  if (!isConcerned || !hasProperty(input, "team_id")) return [];
  const withCredential = { TeamCredential: [] };
  return operation.access === "team" ? [withCredential] : [{}, withCredential];
}

/** A part of an OpenAPI document. */
type OpenApiValue = Readonly<Record<string, unknown>>;

/** The body of every error response (ERR-1). */
const errorSchema: JsonSchema = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        code: { type: "string", enum: Object.keys(errorCodes) },
        message: { type: "string", description: "What was expected, what came, and what to do." },
        details: { type: "object" },
      },
      required: ["code", "message", "details"],
    },
  },
  required: ["error"],
};

/**
 * Returns an operation's error responses, by status. Each refers to one of the responses in `describeErrorResponses`.
 */
function describeResponses(operation: Operation): Record<string, OpenApiValue> {
  const responses = groupCodesByStatus(operation).map(([status, codes]) => [
    status,
    { $ref: `#/components/responses/${joinCodes(codes)}` },
  ]);
  return Object.fromEntries(responses);
}

/**
 * Returns every error response to which an operation refers: one for each set of error codes with the same
 * status.
 */
function describeErrorResponses(operations: readonly Operation[]): Record<string, OpenApiValue> {
  const sets = operations.flatMap((operation) => groupCodesByStatus(operation).map(([, codes]) => codes));
  return Object.fromEntries(sets.map((codes) => [joinCodes(codes), describeFailure(codes)]));
}

function groupCodesByStatus(operation: Operation): [status: number, codes: readonly ErrorCode[]][] {
  const possible = new Set<string>([...operation.errors, ...commonErrors]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const [code, { status }] of Object.entries(errorCodes)) {
    // Every key of `errorCodes` is an error code, so the cast is safe.
    if (possible.has(code)) byStatus.set(status, [...(byStatus.get(status) ?? []), code as ErrorCode]);
  }
  return [...byStatus];
}

function joinCodes(codes: readonly ErrorCode[]): string {
  return codes.join("_or_");
}

function describeFailure(codes: readonly ErrorCode[]): OpenApiValue {
  const isRetryable = codes.some((code) => errorCodes[code].retry);
  return {
    description: codes.map((code) => `\`${code}\`: ${errorMeanings[code]}`).join("; "),
    ...(isRetryable && {
      headers: { "Retry-After": { schema: { type: "integer" }, description: "Seconds." } },
    }),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
}
