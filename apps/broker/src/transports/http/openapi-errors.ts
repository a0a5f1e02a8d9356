import {
  commonErrors,
  type ErrorCode,
  errorCodes,
  errorMeanings,
  type JsonSchema,
  type Operation,
} from "@merkle/wire";

/** A part of an OpenAPI document. */
export type OpenApiValue = Readonly<Record<string, unknown>>;

/** What stands in every failed answer (ERR-1). */
export const errorSchema: JsonSchema = {
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

/** The failures of an operation, by status; each refers to one of `errorResponses`. */
export function responsesOf(operation: Operation): Record<string, OpenApiValue> {
  const responses = codesByStatus(operation).map(([status, codes]) => [
    status,
    { $ref: `#/components/responses/${nameOf(codes)}` },
  ]);
  return Object.fromEntries(responses);
}

/** Every failure that one of the operations refers to: a response for each set of codes that share a status. */
export function errorResponses(operations: readonly Operation[]): Record<string, OpenApiValue> {
  const sets = operations.flatMap((operation) => codesByStatus(operation).map(([, codes]) => codes));
  return Object.fromEntries(sets.map((codes) => [nameOf(codes), describeFailure(codes)]));
}

function codesByStatus(operation: Operation): [status: number, codes: readonly ErrorCode[]][] {
  const possible = new Set<string>([...operation.errors, ...commonErrors]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const [code, { status }] of Object.entries(errorCodes)) {
    // The keys of the closed list are the codes.
    if (possible.has(code)) byStatus.set(status, [...(byStatus.get(status) ?? []), code as ErrorCode]);
  }
  return [...byStatus];
}

function nameOf(codes: readonly ErrorCode[]): string {
  return codes.join("_or_");
}

function describeFailure(codes: readonly ErrorCode[]): OpenApiValue {
  const comesBack = codes.some((code) => errorCodes[code].retry);
  return {
    description: codes.map((code) => `\`${code}\`: ${errorMeanings[code]}`).join("; "),
    ...(comesBack && {
      headers: { "Retry-After": { schema: { type: "integer" }, description: "Seconds." } },
    }),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
}
