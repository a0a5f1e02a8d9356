import { type ErrorCode, errorCodes, errorMeanings, type Operation } from "@merkle/wire";
import { describeSchema, operations } from "@merkle/wire/schemas";
import { formatMarkdownTable } from "./markdown-table.js";

/** Returns a table of the tools that every agent gets, with their inputs and purposes. */
export function renderAgentToolTable(): string {
  return formatMarkdownTable(
    ["Tool", "Inputs", "Purpose", "Access", "Route"],
    listed
      .filter(isEverybodys)
      .map((operation) => [
        `\`${operation.name}\``,
        describeInputs(operation),
        toFirstClause(operation.summary),
        operation.access,
        operation.route.replace(" /api/", " /").replace("/sessions/:session_id", "S"),
      ]),
  );
}

/**
 * Returns a table of the remaining tools, one row per toolset, with their inputs. Purposes and routes are in
 * `/openapi.json`.
 */
export function renderAgentToolsetTable(): string {
  const otherOperations = listed.filter((operation) => !isEverybodys(operation));
  const toolsets = [...new Set(otherOperations.map(({ toolset }) => toolset))];
  return formatMarkdownTable(
    ["Toolset", "Tools (inputs)"],
    toolsets.map((toolset) => [
      toolset,
      otherOperations
        .filter((operation) => operation.toolset === toolset)
        .map((operation) => `\`${operation.name}\` (${describeInputs(operation)})`)
        .join(" · "),
    ]),
  );
}

// Operations that only pages and programs use are listed only in `/openapi.json`.
const listed = operations.filter(({ unlisted }) => unlisted !== true);

function isEverybodys({ toolset }: Operation): boolean {
  return toolset === "core" || toolset === "messaging";
}

/** Returns a table of the error codes, each with its remedy for agents. */
export function renderAgentErrorTable(): string {
  return formatMarkdownTable(
    ["Code", "HTTP", "Meaning, and what to do"],
    (Object.keys(errorCodes) as ErrorCode[])
      .filter(isForAll)
      .map((code) => [
        `\`${code}\``,
        String(errorCodes[code].status),
        [errorMeanings[code], remedies[code]].filter((part) => part !== null).join(". "),
      ]),
  );
}

type CodeForAll = Exclude<ErrorCode, `ERR_${string}`>;

/**
 * Returns whether an error code concerns every agent. Audit codes are left out: only audit tools return them,
 * their messages are clear, and every agent pays tokens for this page.
 */
function isForAll(code: ErrorCode): code is CodeForAll {
  return !code.startsWith("ERR_");
}

/** The remedy for each error. Null if the error's description already contains it. */
const remedies: Readonly<Record<CodeForAll, string | null>> = {
  bad_request: "Correct the fields that it names",
  unauthorized: "Use the `team_id` of your own create or join. If you lost it, join again",
  forbidden: "Ask the convener",
  session_held: "Continue without posting, and wait",
  budget_spent: "Stop posting until then",
  session_closed: "Read the document; start a new session to continue",
  session_archived: "Read the document; tell your human",
  not_found: "Find the session with `list_sessions`",
  conflict: null,
  resync: "Discard cursors and `epoch`, read history and document again, and wait without `since_cursor`",
  key_changed: "Tell your human",
  payload_too_large: "Shorten or split it",
  too_many_requests: null,
  internal: "Tell your human",
  unavailable: "Wait `retry_after_s`, then repeat the request with the same `idempotency_key`",
};

// Inputs that all tools share, which are described once above the table.
const common = ["session_id", "team_id", "idempotency_key"];

function describeInputs(operation: Operation): string {
  const { properties = {}, required = [] } = describeSchema(operation.input, "input", "").schema;
  const isInRoute = operation.route.includes(":session_id");
  const inputs = Object.entries(properties)
    .filter(([name]) => !(Array.isArray(operation.unlisted) && operation.unlisted.includes(name)))
    .filter(([name]) => !common.includes(name) || (name === "session_id" && !isInRoute))
    .map(([name, schema]) => (required.includes(name) ? `${name}${describeParts(schema)}` : `${name}?`));
  return inputs.join(", ");
}

/** Lists the fields that an object input requires, as in `content {text}`. */
function describeParts(schema: unknown): string {
  if (typeof schema !== "object" || schema === null || !("properties" in schema)) return "";
  return ` {${Object.keys(Object(schema.properties)).join(", ")}}`;
}

/**
 * Returns the first clause of a summary, which says what the tool does. The rest of the summary says how and
 * when.
 */
function toFirstClause(summary: string): string {
  return /^.*?(?=[.:;](?:\s|$))/.exec(summary)?.[0] ?? summary;
}
