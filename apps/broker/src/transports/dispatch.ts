import type { Transaction } from "@merkle/db";
import { type Operation, parseInvite } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { type Awaitable, whenKnown } from "../core/awaitable.js";
import { parseInput, type RawInput, requireObject } from "../core/parse-input.js";
import { retryWhileLost, retryWhileLostOrKnown } from "../core/retry-while-lost.js";
import { toMerkleError } from "../core/to-merkle-error.js";
import { withTimeout } from "../core/with-timeout.js";
import { readEarlierResult, type Write, writeOnce } from "../core/write.js";
import type { WriteTurn } from "../core/write-order.js";
import { refuseLiveCredentials } from "../identity/live-credentials.js";
import type { SessionIdentity } from "../identity/session-directory.js";
import {
  type Authenticated,
  type CallClaims,
  identifyCaller,
  letIn,
} from "../sessions/access/admit-caller.js";
import { joinsByWriting, membershipEnded, sessionClosed } from "../sessions/access/authorize.js";
import { requireConvenerPolicy } from "../sessions/access/convener-policy.js";
import type { Caller, TeamActor } from "../sessions/access/credentials.js";
import type { Context } from "../sessions/context.js";
import { noteArrival } from "../sessions/peers/peer.js";
import { JoinedOtherwise, type Joining, prepareJoining } from "../sessions/roster/join-as-person.js";
import { handlers } from "./handlers.js";
import { identify } from "./request-identity.js";
import type { Services } from "./services.js";

/** A call as a transport understood it. */
export interface Call extends CallClaims {
  readonly operation: Operation;
  readonly input: unknown;
  readonly transport: "rest" | "mcp" | "websocket";
  readonly view: "json" | "compact";
  /** Where it comes from. */
  readonly address: string;
  readonly signal: AbortSignal;
  readonly connection?: object | undefined;
  /** Told of a credential in the transaction that makes it. */
  readonly onGivenOut?:
    | ((tx: Transaction, sessionId: string, credential: string) => Promise<void>)
    | undefined;
  /** Told when a wait has found nothing and begins to block: what could be wrong with the call is right by then. */
  readonly onBlocked?: (() => void) | undefined;
  /** Where a connection keeps the order of its writes. */
  readonly turn?: WriteTurn | undefined;
}

export interface Reply {
  readonly output: unknown;
  /**
   * To be called when the reply has been written to its caller in full; until then nothing counts as handed out. Null where
   * nothing depends on it.
   */
  readonly written: (() => void) | null;
}

/**
 * Serves one call, the same way at every transport: which session, who, may they, what exactly, do it (ERR-2).
 *
 * @throws MerkleError, whatever went wrong
 */
export function dispatch(services: Services, call: Call): Promise<Reply> {
  const { operation, transport } = call;
  const { metrics, log } = services;
  const onWritten: (() => void)[] = [];
  return serve(services, call, onWritten).then(
    (output) => {
      metrics.requests.inc(operation.name, transport, "ok");
      return { output, written: toWritten(onWritten) };
    },
    (error: unknown) => {
      const told = toMerkleError(error, log, { operation: operation.name, transport });
      metrics.requests.inc(operation.name, transport, told.code);
      throw told;
    },
  );
}

/** Nearly all that a call needs is known at once, so this and its callees go on without a promise as long as they can. */
function serve(services: Services, call: Call, onWritten: (() => void)[]): Promise<unknown> {
  try {
    const admitting = admitAlone(services, call, requireObject(call.operation, call.input));
    return admitting instanceof Promise
      ? withTimeout(admitting, limits.silentDatabaseMsMax, "none").then((admitted) =>
          answerAdmitted(services, call, admitted, onWritten),
        )
      : answerAdmitted(services, call, admitting, onWritten);
  } catch (error) {
    return Promise.reject(error);
  }
}

function answerAdmitted(
  services: Services,
  call: Call,
  admitted: Admitted,
  onWritten: (() => void)[],
): Promise<unknown> {
  if ("earlier" in admitted) return Promise.resolve(admitted.earlier);
  const request = { services, call, admitted, signal: call.signal, onWritten };
  const ending = watchPrincipal(services, call);
  return ending ? answerUnlessEnded(request, ending) : answerInTime(request);
}

function answerInTime(request: AdmittedRequest): Promise<unknown> {
  const { services, call, admitted } = request;
  const answering = inTime(call.operation, admitted.input, answer(request));
  if (call.operation.human !== "power" || call.operation.readOnly) return answering;
  return answering.then((output) => {
    logPower(services, call, admitted.caller);
    return output;
  });
}

function toWritten(runs: readonly (() => void)[]): Reply["written"] {
  if (runs.length === 0) return null;
  return () => {
    for (const run of runs) run();
  };
}

interface AdmittedRequest {
  readonly services: Services;
  readonly call: Call;
  readonly admitted: Request;
  readonly signal: AbortSignal;
  readonly onWritten: (() => void)[];
}

function answer(request: AdmittedRequest): Promise<unknown> {
  return request.call.operation.readOnly ? retryWhileLost(() => answerOnce(request)) : answerOnce(request);
}

function answerOnce(request: AdmittedRequest): Promise<unknown> {
  const { services, call, admitted } = request;
  if (!triesCode(call.operation, admitted.input)) return callVerb(request);
  return services.limiter.tryCode(call.address, () => callVerb(request));
}

function callVerb(request: AdmittedRequest): Promise<unknown> {
  const { call, admitted } = request;
  const { team = null, person = null } = admitted.caller ?? {};
  // Nearly all calls join nobody, and nothing of them is done twice.
  if (person && joinsByWriting(call.operation, admitted.caller)) return joinAndCall(request);
  return callHandler(call.operation, new RequestContext(request, { team, joining: null }), admitted.input);
}

function joinAndCall(request: AdmittedRequest): Promise<unknown> {
  const { services, call, admitted } = request;
  return retryWhileOtherwise(async () => {
    const taken = await retryWhileLost(() => takeTeam(services, call.operation, admitted));
    const output = await callHandler(call.operation, new RequestContext(request, taken), admitted.input);
    if (taken.joining && !taken.joining.joined) await joinAlone(services, call.operation, admitted);
    return output;
  });
}

function logPower({ log }: Services, { operation, principal }: Call, caller: Caller | null): void {
  log.info("a human decided about agents", {
    operation: operation.name,
    person: caller?.person?.personId,
    ...(principal?.kind === "member" && { member: principal.memberId }),
  });
}

/** Whoever was faster has joined by now, or taken the name: the next attempt finds it so. */
async function retryWhileOtherwise<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof JoinedOtherwise)) throw error;
    }
  }
}

/**
 * Whether a call tries a spoken code. Operations that strangers may call are given an invite, and of its forms the spoken
 * code alone is short enough to be guessed.
 */
function triesCode({ access }: Operation, { invite }: Readonly<Record<string, unknown>>): boolean {
  return access === "public" && typeof invite === "string" && parseInvite(invite)?.kind === "code";
}

/** A call that was admitted, as whoever answers it sees it. */
export interface OpenedCall {
  readonly ctx: Context<Services>;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Admits a call that is answered with, or brings, a file: the same way as every other (ERR-2). What the file is made of or
 * becomes is its transport's part, and may take longer than a reply may.
 *
 * @throws MerkleError, whatever went wrong
 */
export async function openCall(services: Services, call: Call): Promise<OpenedCall> {
  const { operation, transport } = call;
  const { metrics, log } = services;
  try {
    const admitting = admitAlone(services, call, requireObject(operation, call.input));
    const admitted = await withTimeout(Promise.resolve(admitting), limits.silentDatabaseMsMax, "none");
    if ("earlier" in admitted) throw new TypeError(`${operation.name} has no earlier result.`);
    const request = { services, call, admitted, signal: call.signal, onWritten: [] };
    const ctx = new RequestContext(request, { team: admitted.caller?.team ?? null, joining: null });
    metrics.requests.inc(operation.name, transport, "ok");
    return { ctx, input: admitted.input };
  } catch (error) {
    const told = toMerkleError(error, log, { operation: operation.name, transport });
    metrics.requests.inc(operation.name, transport, told.code);
    throw told;
  }
}

/** Told when the membership or the token of who waits ends; null for what does not wait, or for whom nothing ends. */
function watchPrincipal({ revocations }: Services, { operation, principal }: Call): EndingPrincipal | null {
  if (operation.kind !== "wait" || !principal || principal.kind === "anyone") return null;
  const ended = new AbortController();
  return { ended: ended.signal, release: revocations.watch(principal, () => ended.abort()) };
}

interface EndingPrincipal {
  readonly ended: AbortSignal;
  readonly release: () => void;
}

/** A wait ends as soon as the membership or the token of who waits does (ENTER-6), and brings nothing then. */
async function answerUnlessEnded(
  request: AdmittedRequest,
  { ended, release }: EndingPrincipal,
): Promise<unknown> {
  try {
    const output = await answerInTime({ ...request, signal: AbortSignal.any([request.signal, ended]) });
    if (ended.aborted) throw membershipEnded();
    return output;
  } finally {
    release();
  }
}

/** Everything is answered soon, whatever the database does; a wait may block for its own time before. */
function inTime(
  { kind, readOnly }: Operation,
  { timeout = 0 }: Readonly<Record<string, unknown>>,
  answer: Promise<unknown>,
): Promise<unknown> {
  // A job claimed for a runner that has been answered already would wait for its lease to run out.
  if (kind === "wait" && !readOnly) return answer;
  const blocksMs = 1_000 * Math.min(Number(timeout), limits.waitSecondsMax);
  return withTimeout(answer, blocksMs + limits.silentDatabaseMsMax, readOnly ? "none" : "unknown");
}

/**
 * The team that calls. A person's first write in a session makes it one there, in that write's own transaction (PERSON-3).
 */
async function takeTeam(
  services: Services,
  operation: Operation,
  { session, caller }: Pick<Request, "session" | "caller">,
): Promise<TakenTeam> {
  const asItIs = { team: caller?.team ?? null, joining: null };
  if (!session || !caller?.person || !joinsByWriting(operation, caller)) return asItIs;
  const { person } = caller;
  // Another call of the person's may have joined since this one was let in.
  const now = (await services.credentials.verify(session.sessionId, person.credential)) ?? caller;
  if (!joinsByWriting(operation, now)) return { team: now.team, joining: null };
  const joining = await prepareJoining({ services, session, person, left: now.team });
  return { team: joining.team, joining };
}

/** Joins for a write that needed no transaction: it reached others, or had been done before. It is not done again for this. */
function joinAlone(
  services: Services,
  operation: Operation,
  admitted: Pick<Request, "session" | "caller">,
): Promise<void> {
  const { session, caller } = admitted;
  const request = {
    operation: "join_session",
    caller: caller?.person?.personId ?? null,
    idempotencyKey: undefined,
    input: { session_id: session?.sessionId },
  };
  return retryWhileOtherwise(async () => {
    const { joining } = await takeTeam(services, operation, admitted);
    if (!joining) return;
    await writeOnce(writeServices(services), request, async (write) => {
      await joining.join(write);
      // Its result is stored, and undefined is none.
      return null;
    });
  });
}

type Admitted = Request | { readonly earlier: unknown };

/** A node that has lost its lock serves nothing until it holds it again: another one may have it (DB-17). */
function admitAlone(services: Services, call: Call, raw: RawInput): Awaitable<Admitted> {
  // All of this only reads, so a database that is away for a moment is waited for.
  return retryWhileLostOrKnown(() =>
    services.isAlone()
      ? admit(services, call, raw)
      : services.whenAlone().then(() => admit(services, call, raw)),
  );
}

/** Finds out which session is meant and who calls, whether they may, and what exactly they ask for. */
function admit(services: Services, call: Call, raw: RawInput): Awaitable<Admitted> {
  return whenKnown(identifyCaller(services, call, raw), admitIdentified, services, call, raw);
}

function admitIdentified(
  identified: Authenticated,
  services: Services,
  call: Call,
  raw: RawInput,
): Awaitable<Admitted> {
  const earlier = repeatRotation(services, call, raw, identified);
  return earlier === undefined
    ? admitAnew(services, call, raw, identified)
    : earlier.then((output) =>
        output === undefined ? admitAnew(services, call, raw, identified) : { earlier: output },
      );
}

function admitAnew(
  services: Services,
  call: Call,
  raw: RawInput,
  identified: Authenticated,
): Awaitable<Admitted> {
  const { session, caller } = letIn(services, call, identified);
  // Over HTTP a connection carries one exchange at a time; a WebSocket's frames pass each other.
  if (caller?.team && call.transport !== "websocket") noteArrival(caller.team.peer, call.connection);
  const kept =
    session && caller ? requireConvenerPolicy(services, call.operation, session, caller.team) : undefined;
  return whenKnown(kept, takeInput, services, call.operation, raw, session, caller);
}

/** Checks what is asked for, now that it is certain that it may be asked. */
function takeInput(
  _kept: unknown,
  services: Services,
  operation: Operation,
  raw: RawInput,
  session: SessionIdentity | null,
  caller: Caller | null,
): Awaitable<Request> {
  return whenKnown(parseOpenly(services, operation, raw, session, caller), (input) => {
    const request = { session, caller, input };
    const quoted = operation.readOnly ? undefined : refuseLiveCredentials(services.database, input);
    return quoted === undefined ? request : quoted.then(() => request);
  });
}

/** A closed session refuses a write before it is looked at what is wrong with it (ERR-2). */
function parseOpenly(
  services: Services,
  operation: Operation,
  raw: RawInput,
  session: SessionIdentity | null,
  caller: Caller | null,
): Awaitable<Readonly<Record<string, unknown>>> {
  try {
    return parseInput(operation, raw, { proved: caller !== null });
  } catch (error) {
    if (!session || operation.afterClosing !== "refused") throw error;
    return services.channels.open(session.sessionId).then((channel) => {
      throw channel.closed ? sessionClosed(session) : error;
    });
  }
}

/** A call that was let in: where, as whom, and what it asks for. */
interface Request {
  readonly session: SessionIdentity | null;
  readonly caller: Caller | null;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The caller's team, one that this call's write makes included, and what makes it that, where it is none yet. */
interface TakenTeam {
  readonly team: TeamActor | null;
  readonly joining: Joining | null;
}

/** The context that a verb is given. */
class RequestContext implements Context<Services> {
  readonly services: Services;
  readonly transport: Context<Services>["transport"];
  readonly view: Context<Services>["view"];
  readonly signal: AbortSignal;
  readonly idempotencyKey: string | undefined;
  readonly connection: object | undefined;
  readonly principal: Context<Services>["principal"];
  readonly team: TeamActor | null;
  readonly person: Context<Services>["person"];
  /** The session of those contexts that address one; the types of the verbs say which do. */
  readonly session: SessionIdentity | null;
  readonly #request: AdmittedRequest;
  readonly #joining: Joining | null;

  constructor(request: AdmittedRequest, { team, joining }: TakenTeam) {
    const { services, call, admitted, signal } = request;
    const key = admitted.input["idempotency_key"];
    this.services = services;
    this.transport = call.transport;
    this.view = call.view;
    this.signal = signal;
    this.idempotencyKey = typeof key === "string" ? key : undefined;
    this.connection = call.connection;
    this.principal = call.principal;
    this.team = team;
    this.person = admitted.caller?.person ?? null;
    this.session = admitted.session;
    this.#request = request;
    this.#joining = joining;
  }

  get joins(): boolean {
    return this.#joining !== null && !this.#joining.joined;
  }

  onBlocked(): void {
    this.#request.call.onBlocked?.();
  }

  placed(): void {
    this.#request.call.turn?.placed();
  }

  async givenOut(tx: Transaction, sessionId: string, credential: string): Promise<void> {
    await this.#request.call.onGivenOut?.(tx, sessionId, credential);
  }

  /** Its own, since verbs take it out of their context. */
  readonly write = async <Result>(work: (write: Write) => Promise<Result>): Promise<Result> => {
    const { services, call, admitted } = this.#request;
    await call.turn?.earlierEnded;
    const identity = identify(call.operation, admitted.input, admitted.session, this);
    return writeOnce(writeServices(services), identity, async (write) => {
      await this.#joining?.join(write);
      return work(write);
    });
  };

  onWritten(run: () => void): void {
    this.#request.onWritten.push(run);
  }
}

function writeServices({ database, channels }: Services): Parameters<typeof writeOnce>[0] {
  return { database, onAnnounced: (message) => channels.deliver(message.session_id, [message]) };
}

function repeatRotation(
  services: Services,
  { operation, principal }: Call,
  raw: RawInput,
  { session, caller, credential }: Authenticated,
): Promise<unknown> | undefined {
  if (operation.teamCredential !== "replaced" || caller || !credential) return undefined;
  const parsed = operation.input.safeParse(raw);
  // An invalid request cannot be the repetition of one that was answered.
  if (!parsed.success) return undefined;
  const identity = identify(operation, parsed.data, session, {
    principal,
    team: { teamId: "", credential },
    person: null,
  });
  return readEarlierResult(services.database, identity);
}

type AnyHandler = (ctx: Context<Services>, input: Readonly<Record<string, unknown>>) => Promise<unknown>;

function callHandler(
  operation: Operation,
  ctx: Context<Services>,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  // The table's types tie each verb to its operation; what authorize let through is what that verb's context promises,
  // and the input was parsed by that operation's own schema.
  const handler = handlers[operation.name as keyof typeof handlers] as unknown as AnyHandler;
  return handler(ctx, input);
}
