import { setTimeout as delay } from "node:timers/promises";
import type { JoinedSessionRow } from "@merkle/db";
import {
  canOmitSession,
  chooseSessions,
  compactError,
  createRefusedCalls,
  isSessionOperation,
  isUuid,
  type ListedTool,
  MerkleError,
  type Operation,
  parseTeamCredential,
  withToolWait,
} from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findOperation, readToolInput } from "@merkle/wire/schemas";
import { toMerkleError } from "../../core/to-merkle-error.js";
import { withTimeout } from "../../core/with-timeout.js";
import type { Principal } from "../../identity/principal.js";
import { isForClients } from "../../sessions/access/refuse-beyond-team.js";
import { dispatch } from "../dispatch.js";
import type { Services } from "../services.js";
import type { McpRequest } from "./requests-in-flight.js";
import { loadRememberedTeams, type RememberedTeams } from "./team-memory.js";
import { getListedTools, getToolsWithOutput } from "./tool-list.js";
import { readUrlOptions, type UrlOptions } from "./url-options.js";

/** Lists the tools and serves calls to them, in the same way for every protocol revision. */
export interface ToolDispatcher {
  list(url: URL, principal: Principal | null): ListedTool[];
  /** Calls a tool. If the call fails, returns the error as a result (ERR-4). */
  call(name: string, request: McpRequest): Promise<McpToolResult>;
}

/** The client that uses the tools. */
export interface ToolUser {
  /** The key of the client's MCP session, for which teams are stored. Null if nothing is stored. */
  readonly sessionId: string | null;
  /** Whether the client uses the sessionless protocol revision, in which results are structured (MCP-17). */
  readonly isStateless: boolean;
}

export function createToolDispatcher(services: Services, user: ToolUser): ToolDispatcher {
  const callTool = createToolCaller(services, user);
  return {
    list(url, principal) {
      const { operations, describesOutput } = readUrlOptions(url, user);
      const listed = describesOutput ? getToolsWithOutput() : getListedTools();
      const isListed = (operation: Operation) =>
        principal?.kind !== "client" || isForClients(operation, isSessionOperation(operation));
      return operations.filter(isListed).flatMap((operation) => listed.get(operation) ?? []);
    },
    call: callTool,
  };
}

function createToolCaller(
  services: Services,
  user: ToolUser,
): (name: string, request: McpRequest) => Promise<McpToolResult> {
  const memory = createTeamMemory(services, user);
  const refusedCalls = createRefusedCalls();

  async function call(name: string, request: McpRequest): Promise<McpToolResult> {
    const revision = request.headers.get("mcp-protocol-version");
    const shape = readUrlOptions(request.url, { ...user, revision });
    const operation = findOperation(name);
    if (!operation) throw unknownTool(name);
    const teams = await withTimeout(memory.load(), limits.silentDatabaseMsMax, "none");
    const input = withStoredCredential(readToolInput(operation, toArguments(request.message)), teams);
    const sessions = teams ? await findRequestedSessions(operation, input, teams) : [];
    const inputs = sessions.map(({ sessionId }) => ({ ...Object(input), session_id: sessionId }));
    const pages = await Promise.all(
      (inputs.length > 0 ? inputs : [input]).map((each) => ask(operation, each, teams, request)),
    );
    const [first, ...others] =
      pages.length > 1 ? pages.map((page, at) => ({ ...Object(page), session: sessions[at]?.slug })) : pages;
    const output = others.length > 0 ? { ...first, others } : first;
    return toResult(operation, output, { ...shape, remembered: teams !== null });
  }

  async function ask(
    operation: Operation,
    input: unknown,
    teams: RememberedTeams | null,
    request: McpRequest,
  ): Promise<unknown> {
    const { principal, address, connection, services: ofMesh } = request.admission;
    const reply = await dispatch(ofMesh, {
      operation,
      principal,
      address,
      connection,
      input: withToolWait(operation, input, {
        defaultSeconds: services.settings.current.mcp_wait_s,
        progressToken: findProgressToken(request.message),
      }),
      transport: "mcp",
      view: readUrlOptions(request.url, user).view,
      signal: request.signal,
      credential: request.headers.get("x-team-id") ?? undefined,
      findStoredCredential: teams?.findCredential,
      findOnlyStoredCredential: teams?.findOnlyCredential,
      onCredentialIssued: teams?.store,
    });
    await memory.keep(operation, reply.output);
    if (reply.confirmWritten) request.onWritten(reply.confirmWritten);
    return reply.output;
  }

  return async (name, request) => {
    try {
      const result = await call(name, request);
      refusedCalls.record(name, undefined, null);
      return result;
    } catch (error) {
      const { view } = readUrlOptions(request.url, user);
      const refusal = toMerkleError(error, services.log, { transport: "mcp", tool: name.slice(0, 100) });
      const { delayMs, advice } = refusedCalls.record(name, toArguments(request.message), refusal);
      // The delay ends early if the caller disconnects.
      if (delayMs > 0) await delay(delayMs, undefined, { signal: request.signal }).catch(() => undefined);
      return toErrorResult(new MerkleError(refusal.code, refusal.message + advice, refusal.details), view);
    }
  };
}

interface TeamMemory {
  /** Loads the stored teams. Returns null if there is no MCP session. */
  load(): Promise<RememberedTeams | null>;
  /** Stores the credential that an operation has just returned. */
  keep(operation: Operation, output: unknown): Promise<void>;
}

function createTeamMemory({ database, nodes }: Services, { sessionId: id }: ToolUser): TeamMemory {
  let loading: Promise<RememberedTeams> | null = null;

  async function load(): Promise<RememberedTeams | null> {
    if (id === null) return null;
    // A previous call in the MCP session may have joined a Merkle session on another node, so the teams are
    // loaded again.
    if (!nodes.isAlone) return loadRememberedTeams(database, id);
    loading ??= loadRememberedTeams(database, id);
    try {
      return await loading;
    } catch (error) {
      // Reset so that the next call tries again.
      loading = null;
      throw error;
    }
  }

  return {
    load,
    async keep(operation, output) {
      const issued = findIssuedCredential(operation, output);
      const teams = issued && (await load());
      if (!issued || !teams) return;
      await teams.remember(issued.sessionId, issued.credential);
    },
  };
}

function findIssuedCredential(
  operation: Operation,
  output: unknown,
): { sessionId: string; credential: string } | null {
  if (operation.teamCredential === undefined || typeof output !== "object" || output === null) return null;
  if (!("session_id" in output) || !("team_id" in output)) return null;
  // A caller that has joined with a named peer makes its later calls as that peer.
  const peer = "peer_id" in output ? output.peer_id : null;
  return { sessionId: String(output.session_id), credential: String(peer ?? output.team_id) };
}

/**
 * Returns the arguments as received. The SDK's schema would drop unknown fields, which the operation must
 * refuse (CAT-5).
 */
function toArguments({ params }: McpRequest["message"]): unknown {
  return typeof params === "object" && params !== null && "arguments" in params
    ? params.arguments
    : undefined;
}

/**
 * Returns the joined sessions that a call without `session_id` addresses (MCP-19).
 *
 * @throws bad_request if the call must choose between several sessions
 */
async function findRequestedSessions(
  operation: Operation,
  input: unknown,
  teams: RememberedTeams,
): Promise<readonly JoinedSessionRow[]> {
  const { session_id: session, team_id: credential } = Object(input);
  if (session != null || !canOmitSession(operation)) return [];
  const joined = await teams.listSessions();
  const matchingSessions = joined.filter(({ sessionId }) => teams.findCredential(sessionId) === credential);
  return chooseSessions(operation, matchingSessions.length > 0 ? matchingSessions : joined);
}

function findProgressToken({ params }: McpRequest["message"]): unknown {
  return Object(Object(params)._meta).progressToken;
}

function unknownTool(name: string): MerkleError {
  return new MerkleError(
    "not_found",
    `There is no tool "${name.slice(0, 100)}". List the tools to see their names.`,
  );
}

/**
 * The result of a tool call: text in the view that the caller has chosen (MCP-5, MCP-6), and the output itself
 * if it was requested (MCP-17).
 */
export type McpToolResult = {
  content: [{ type: "text"; text: string }];
  structuredContent?: { [name: string]: unknown };
  isError?: true;
};

/** Replaces a stored team's uuid with the team's credential. The model has seen only the uuid. */
function withStoredCredential(input: unknown, teams: RememberedTeams | null): unknown {
  const { team_id: teamId } = Object(input);
  const credential =
    typeof teamId === "string" && isUuid(teamId) ? teams?.findCredentialByTeam(teamId) : undefined;
  return credential === undefined ? input : { ...Object(input), team_id: credential };
}

/**
 * Builds a tool result. Over HTTP, the model keeps its own cursor, and also its credential unless the
 * credential is stored for the session (MCP-2).
 */
function toResult(
  operation: Operation,
  rawOutput: unknown,
  { view, structured, remembered }: Pick<UrlOptions, "view" | "structured"> & { remembered: boolean },
): McpToolResult {
  const output = remembered && operation.teamCredential !== undefined ? withoutSecrets(rawOutput) : rawOutput;
  const text =
    view === "compact"
      ? operation.compact(output, { credentialHolder: "caller", remembered })
      : JSON.stringify(output);
  return { content: [{ type: "text", text }], ...(structured && { structuredContent: Object(output) }) };
}

function withoutSecrets(output: unknown): unknown {
  const fields = Object.entries(Object(output)).map(([name, value]) => {
    const credential = typeof value === "string" ? parseTeamCredential(value) : null;
    return [name, credential?.teamId ?? value];
  });
  return Object.fromEntries(fields);
}

/**
 * Builds the result of a failed call. Failures are results too, because models see results but no protocol
 * errors (ERR-4).
 */
function toErrorResult(error: MerkleError, view: UrlOptions["view"]): McpToolResult {
  const text = view === "compact" ? compactError(error) : JSON.stringify(error.toBody());
  return { content: [{ type: "text", text }], isError: true };
}
