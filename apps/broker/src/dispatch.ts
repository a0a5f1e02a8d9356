import { createHash } from "node:crypto";
import { isSessionOperation, limits, MerkleError, type Operation } from "@merkle/wire";
import { authorize, sessionClosed } from "./access/authorize.js";
import { refuseByConvention } from "./access/convention.js";
import type { TeamCaller } from "./access/credentials.js";
import { refuseLiveCredentials } from "./access/live-credentials.js";
import type { Context, Services } from "./context.js";
import { handlers } from "./handlers.js";
import { parseInput, type RawInput, requireObject } from "./parse-input.js";
import { retryWhileLost } from "./retry-while-lost.js";
import type { SessionIdentity } from "./sessions/directory.js";
import { toMerkleError } from "./to-merkle-error.js";
import { within } from "./within.js";
import { type RequestIdentity, readEarlierResult, writeOnce } from "./writes/write.js";

/** A call as a door understood it. */
export interface Call {
  readonly operation: Operation;
  readonly input: unknown;
  readonly door: "rest" | "mcp" | "websocket";
  readonly view: "json" | "compact";
  readonly signal: AbortSignal;
  readonly connection?: object | undefined;
  /** Told when a wait has found nothing and begins to block: what could be wrong with the call is right by then. */
  readonly onBlocked?: (() => void) | undefined;
  /** A credential that came beside the input: the header `X-Team-ID`. The argument `team_id` goes before it. */
  readonly credential?: string | undefined;
  /** What the connection itself remembers: the credential of the team that an MCP session joined as. */
  readonly remembered?: ((sessionId: string) => string | undefined) | undefined;
}

export interface Reply {
  readonly output: unknown;
  /** To be called when the reply has been written to its caller in full; until then nothing counts as handed out. */
  written(): void;
}

/**
 * Serves one call, the same way at every door: which session, who, may they, what exactly, do it (ERR-2).
 *
 * @throws MerkleError, whatever went wrong
 */
export async function dispatch(services: Services, call: Call): Promise<Reply> {
  const { operation, door } = call;
  const { metrics, log } = services;
  try {
    const reply = await serve(services, call);
    metrics.requests.inc({ operation: operation.name, door, result: "ok" });
    return reply;
  } catch (error) {
    const told = toMerkleError(error, log, { operation: operation.name, door });
    metrics.requests.inc({ operation: operation.name, door, result: told.code });
    throw told;
  }
}

async function serve(services: Services, call: Call): Promise<Reply> {
  const { operation } = call;
  const raw = requireObject(operation, call.input);
  // All of this only reads, so a database that is away for a moment is waited for.
  const admitting = retryWhileLost(() => admit(services, call, raw));
  const admitted = await within(admitting, limits.silentDatabaseMsMax, "none");
  if ("earlier" in admitted) return { output: admitted.earlier, written: () => undefined };

  const onWritten: (() => void)[] = [];
  const ctx = createContext(services, call, { ...admitted, onWritten });
  const run = () => callHandler(operation, ctx, admitted.input);
  return {
    output: await inTime(operation, operation.readOnly ? retryWhileLost(run) : run()),
    written: () => {
      for (const each of onWritten) each();
    },
  };
}

/** A wait ends by its own time; everything else is answered soon, whatever the database does. */
function inTime(operation: Operation, answer: Promise<unknown>): Promise<unknown> {
  if (operation.kind === "wait") return answer;
  return within(answer, limits.silentDatabaseMsMax, operation.readOnly ? "none" : "unknown");
}

type Admitted = Omit<Request, "onWritten"> | { readonly earlier: unknown };

/** Finds out which session is meant and who calls, whether they may, and what exactly they ask for. */
async function admit(services: Services, call: Call, raw: RawInput): Promise<Admitted> {
  const { operation } = call;
  const session = isSessionOperation(operation) ? await findAddressedSession(services, operation, raw) : null;
  const { team, credential } = await authenticate(services, call, raw, session);
  if (!team && credential) {
    const earlier = await repeatRotation(services, call, raw, session, credential);
    if (earlier !== undefined) return { earlier };
  }
  authorize({ operation, session, team, credentialGiven: credential !== undefined });
  if (team) services.presence.touch(team.peer);
  if (session && team) await refuseByConvention(services, operation, session, team);
  const input = await parseOpenly(services, operation, raw, session, team);
  if (!operation.readOnly) await refuseLiveCredentials(services.database, input);
  return { session, team, input };
}

async function findAddressedSession(
  services: Services,
  operation: Operation,
  raw: RawInput,
): Promise<SessionIdentity> {
  const ref = raw["session_id"];
  if (typeof ref !== "string" || ref === "") {
    throw new MerkleError("bad_request", `${operation.name} needs session_id: a session's id or slug.`, {
      fields: [{ field: "session_id", problem: "missing" }],
    });
  }
  const session = await services.sessions.find(ref);
  if (session) return session;
  throw new MerkleError(
    "not_found",
    `There is no session "${ref.slice(0, 100)}". list_sessions shows those there are.`,
  );
}

/** Argument before header before what the connection remembers (AUTH-2, MCP-2). */
async function authenticate(
  services: Services,
  call: Call,
  raw: RawInput,
  session: SessionIdentity | null,
): Promise<{ team: TeamCaller | null; credential: string | undefined }> {
  if (!session) return { team: null, credential: undefined };
  const argument = raw["team_id"];
  // What is no text is a credential that proves nothing.
  const given = argument === undefined ? call.credential : typeof argument === "string" ? argument : "";
  if (given !== undefined) {
    return { team: await services.credentials.verify(session.sessionId, given), credential: given };
  }
  const remembered = call.remembered?.(session.sessionId);
  const team =
    remembered === undefined ? null : await services.credentials.verify(session.sessionId, remembered);
  return team && usesRemembered(call.operation, team, raw)
    ? { team, credential: remembered }
    : { team: null, credential: undefined };
}

/**
 * An MCP session that joins again under its own name gets its place back; under another name it is somebody new. A team
 * that has left is nobody there, except to repeat its leaving.
 */
function usesRemembered({ name }: Operation, team: TeamCaller, raw: RawInput): boolean {
  if (name !== "join_session") return !team.leftAt || name === "leave_session";
  const wanted = raw["team_name"];
  return typeof wanted === "string" && wanted.trim().toLowerCase() === team.name.toLowerCase();
}

/** A closed session refuses a write before it is looked at what is wrong with it (ERR-2). */
async function parseOpenly(
  services: Services,
  operation: Operation,
  raw: RawInput,
  session: SessionIdentity | null,
  team: TeamCaller | null,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return parseInput(operation, raw, { proved: team !== null });
  } catch (error) {
    if (session && operation.afterClosing === "refused") {
      const channel = await services.channels.open(session.sessionId);
      if (channel.closed) throw sessionClosed(session);
    }
    throw error;
  }
}

interface Request {
  readonly session: SessionIdentity | null;
  readonly team: TeamCaller | null;
  readonly input: Readonly<Record<string, unknown>>;
  readonly onWritten: (() => void)[];
}

function createContext(
  services: Services,
  call: Call,
  { session, team, input, onWritten }: Request,
): Context {
  const key = input["idempotency_key"];
  const idempotencyKey = typeof key === "string" ? key : undefined;
  const context = {
    services,
    view: call.view,
    signal: call.signal,
    connection: call.connection,
    onBlocked: () => call.onBlocked?.(),
    idempotencyKey,
    team,
    session,
    write: <Result>(work: Parameters<typeof writeOnce<Result>>[2]) =>
      writeOnce(writeServices(services), identify(call.operation, input, session, team), work),
    onWritten: (run: () => void) => {
      onWritten.push(run);
    },
  };
  return context;
}

function writeServices({ database, channels }: Services): Parameters<typeof writeOnce>[0] {
  return { database, onAnnounced: (message) => channels.deliver(message.sessionId, [message]) };
}

/** What makes the request the same one when it comes again: neither the way a session is named nor the credential. */
function identify(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  session: SessionIdentity | null,
  team: Pick<TeamCaller, "teamId" | "credential"> | null,
): RequestIdentity {
  const { team_id: _credential, idempotency_key, ...fields } = input;
  // A rotation ends the credential that asked for it, so it is repeated under that credential's own name (IDEM-9).
  const caller =
    team && (operation.name === "rotate_team_credential" ? fingerprint(team.credential) : team.teamId);
  return {
    operation: operation.name,
    caller,
    idempotencyKey: typeof idempotency_key === "string" ? idempotency_key : undefined,
    input: session ? { ...fields, session_id: session.sessionId } : fields,
  };
}

function fingerprint(credential: string): string {
  return createHash("sha256").update(credential).digest("hex");
}

async function repeatRotation(
  services: Services,
  { operation }: Call,
  raw: RawInput,
  session: SessionIdentity | null,
  credential: string,
): Promise<unknown> {
  if (operation.name !== "rotate_team_credential") return undefined;
  const parsed = operation.input.safeParse(raw);
  // What is no valid request cannot be the repetition of one.
  if (!parsed.success) return undefined;
  const identity = identify(operation, parsed.data, session, { teamId: "", credential });
  return readEarlierResult(services.database, identity);
}

type AnyHandler = (ctx: Context, input: Readonly<Record<string, unknown>>) => Promise<unknown>;

function callHandler(
  operation: Operation,
  ctx: Context,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  // The table's types tie each verb to its operation; what authorize let through is what that verb's context promises,
  // and the input was parsed by that operation's own schema.
  const handler = handlers[operation.name as keyof typeof handlers] as unknown as AnyHandler;
  return handler(ctx, input);
}
