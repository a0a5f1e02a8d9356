import type { Transaction } from "@merkle/db";
import { type Operation, parseInvite } from "@merkle/wire";
import { limits, type ShareName } from "@merkle/wire/limits";
import { countUtf8Bytes } from "@merkle/wire/text";
import { toAddressBlock } from "../core/address-block.js";
import { parseInput, type RawInput, requireObject } from "../core/parse-input.js";
import { retryWhileLost } from "../core/retry-while-lost.js";
import { toMerkleError } from "../core/to-merkle-error.js";
import { withTimeout } from "../core/with-timeout.js";
import { type RequestIdentity, readEarlierResult, type Write, writeOnce } from "../core/write.js";
import type { WriteTurn } from "../core/write-order.js";
import type { PendingPerson } from "../identity/credential.js";
import { type ShareHolder, toShareHolder } from "../identity/limits/shares.js";
import { refuseLiveCredentials } from "../identity/live-credentials.js";
import type { SessionIdentity } from "../identity/session-directory.js";
import {
  type AuthenticatedCall,
  authorizeCaller,
  type CallClaims,
  identifyCaller,
} from "../sessions/access/admit-caller.js";
import { joinsByWriting, membershipEnded, sessionClosed } from "../sessions/access/authorize.js";
import { requireConvenerPolicy } from "../sessions/access/convener-policy.js";
import type { Caller, TeamActor } from "../sessions/access/credentials.js";
import type { Context } from "../sessions/context.js";
import { JoinedOtherwise, type PreparedJoin, prepareJoin } from "../sessions/roster/join-as-person.js";
import { identify } from "./request-identity.js";
import type { Services } from "./services.js";

/** A call, as parsed by its transport. */
export interface TransportCall extends CallClaims {
  readonly operation: Operation;
  readonly input: unknown;
  readonly transport: "rest" | "mcp" | "websocket";
  readonly view: "json" | "compact";
  /** The caller's network address. */
  readonly address: string;
  readonly signal: AbortSignal;
  readonly connection?: object | undefined;
  /** Called with a credential, in the transaction that creates it. */
  readonly onCredentialIssued?:
    | ((tx: Transaction, sessionId: string, credential: string) => Promise<void>)
    | undefined;
  /** Called when a wait has found nothing and begins to block. By then, the call has passed every check. */
  readonly onBlocked?: (() => void) | undefined;
  /** The write's turn among the writes of its connection. */
  readonly turn?: WriteTurn | undefined;
}

export interface CallReply {
  readonly output: unknown;
  /**
   * Call once the reply has been written to its caller in full. Messages count as delivered only then. Null if
   * nothing depends on that.
   */
  readonly confirmWritten: (() => void) | null;
}

/**
 * Serves one call, in the same way for every transport: finds the session, authenticates and authorises the
 * caller, validates the input and runs the handler, in the order of ERR-2.
 *
 * @throws MerkleError for every kind of failure
 */
export async function dispatch(services: Services, call: TransportCall): Promise<CallReply> {
  const { operation, transport } = call;
  try {
    const reply = await answer(services, call);
    services.metrics.requests.inc(operation.name, transport, "ok");
    return reply;
  } catch (error) {
    const refusal = toMerkleError(error, services.log, { operation: operation.name, transport });
    services.metrics.requests.inc(operation.name, transport, refusal.code);
    throw refusal;
  }
}

async function answer(services: Services, call: TransportCall): Promise<CallReply> {
  const admitted = await admit(services, call);
  if ("earlier" in admitted) return { output: admitted.earlier, confirmWritten: null };
  const ctx = new RequestContext(services, call, admitted);
  const output = await limitTime(ctx, call.operation.kind === "wait" ? runUnlessEnded(ctx) : run(ctx));
  return { output, confirmWritten: ctx.confirmWritten };
}

/**
 * Limits the duration of a call if the database does not respond. For a wait, the wait's own timeout is
 * added.
 */
function limitTime({ call, input }: RequestContext, running: Promise<unknown>): Promise<unknown> {
  const { kind, readOnly } = call.operation;
  // Claiming a job must not time out here: a job claimed after the error reply would be stuck until its lease
  // expires.
  if (kind === "wait" && !readOnly) return running;
  const blocksMs = 1_000 * Math.min(Number(input["timeout"] ?? 0), limits.waitSecondsMax);
  return withTimeout(running, blocksMs + limits.silentDatabaseMsMax, readOnly ? "none" : "unknown");
}

function run(ctx: RequestContext): Promise<unknown> {
  const { operation } = ctx.call;
  if (operation.share) return callInSlot(ctx, operation.share);
  if (operation.readOnly) return retryCall(ctx);
  const calling = operation.human === "power" ? callAndLog(ctx) : callOnce(ctx);
  ctx.services.foreground.count(calling);
  return ctx.services.nodes.isAlone || operation.isReadFromDatabase ? calling : settle(ctx, calling);
}

/** Runs a slow read in one of the principal's slots. Slow reads give way to writes (GUARD-24). */
function callInSlot(ctx: RequestContext, share: ShareName): Promise<unknown> {
  const { shares, foreground } = ctx.services;
  const read = async () => {
    await foreground.waitUntilQuiet();
    return retryCall(ctx);
  };
  return shares.run(share, getShareHolder(ctx), read, ctx.signal);
}

/** Returns the holder of the slots that a call occupies. */
function getShareHolder({ principal, team, person, call }: RequestContext): ShareHolder {
  return toShareHolder(principal, person?.personId ?? team?.teamId, toAddressBlock(call.address));
}

/** Delays the reply until the change is visible on every node (NODE-14). */
async function settle(ctx: RequestContext, calling: Promise<unknown>): Promise<unknown> {
  const output = await calling;
  const { nodes, presence } = ctx.services;
  if (ctx.team) await presence.saveForOthers(ctx.team.peer).catch(() => undefined);
  await nodes.settle();
  return output;
}

function retryCall(ctx: RequestContext): Promise<unknown> {
  return retryWhileLost(() => callOnce(ctx));
}

async function callAndLog(ctx: RequestContext): Promise<unknown> {
  const output = await callOnce(ctx);
  logHumanDecision(ctx.services, ctx.call, ctx.caller);
  return output;
}

function callOnce(ctx: RequestContext): Promise<unknown> {
  return usesInviteCode(ctx.call.operation, ctx.input) ? tryCode(ctx) : joinOrCall(ctx);
}

function tryCode(ctx: RequestContext): Promise<unknown> {
  return ctx.services.limiter.tryCode(ctx.call.address, () => joinOrCall(ctx));
}

/**
 * Runs the handler, after joining the session if the call requires that. Most calls create neither a team nor
 * a person.
 */
function joinOrCall(ctx: RequestContext): Promise<unknown> {
  const calling = joinsByWriting(ctx.call.operation, ctx.caller) ? joinAndCall(ctx) : callHandler(ctx);
  const drawn = ctx.person?.pending;
  return drawn === undefined ? calling : createPersonAfter(ctx, drawn, calling);
}

/**
 * Creates a call's new person if the call succeeded without a transaction. A refused call creates no person
 * (PERSON-15).
 */
async function createPersonAfter(
  ctx: RequestContext,
  drawn: PendingPerson,
  calling: Promise<unknown>,
): Promise<unknown> {
  const output = await calling;
  if (drawn.isCreated) return output;
  const request = {
    operation: "create_person",
    caller: ctx.person?.personId ?? null,
    idempotencyKey: undefined,
    input: {},
  };
  await writeOnce(writeServices(ctx.services), request, async (write) => {
    await drawn.create(write);
    return null;
  });
  return output;
}

function joinAndCall(ctx: RequestContext): Promise<unknown> {
  const { services, call } = ctx;
  return retryWhileOtherwise(async () => {
    const acting = await retryWhileLost(() => resolveTeam(services, call.operation, ctx));
    ctx.actAs(acting);
    const output = await callHandler(ctx);
    if (acting.joining && !acting.joining.hasJoined) await joinAlone(services, call.operation, ctx);
    return output;
  });
}

function logHumanDecision(
  { log }: Services,
  { operation, principal }: TransportCall,
  caller: Caller | null,
): void {
  log.info("a human decided about agents", {
    operation: operation.name,
    person: caller?.person?.personId,
    ...(principal?.kind === "member" && { member: principal.memberId }),
  });
}

/**
 * Retries if another request has just joined as the same person or taken the name. The next attempt takes
 * that into account.
 */
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
 * Returns whether a call tries to guess a spoken code. Public operations accept an invite, and only its
 * spoken code is short enough to be guessed.
 */
function usesInviteCode({ access }: Operation, { invite }: Readonly<Record<string, unknown>>): boolean {
  return access === "public" && typeof invite === "string" && parseInvite(invite)?.kind === "code";
}

/** An admitted call, as passed to the code that serves it. */
export interface OpenedCall<All extends Services> {
  readonly ctx: Context<All>;
  readonly holder: ShareHolder;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Admits a call that uploads or downloads a file, with the same checks as every other call (ERR-2). The transport then
 * handles the file, which may take longer than a normal reply.
 *
 * @throws MerkleError for every kind of failure
 */
export async function openCall<All extends Services>(
  services: All,
  call: TransportCall,
): Promise<OpenedCall<All>> {
  const { operation, transport } = call;
  const { metrics, log } = services;
  try {
    const admitted = await admit(services, call);
    if ("earlier" in admitted)
      throw new TypeError(`${operation.name} stores no results, but an earlier result was found.`);
    metrics.requests.inc(operation.name, transport, "ok");
    const ctx = new RequestContext(services, call, admitted);
    return { ctx, holder: getShareHolder(ctx), input: admitted.input };
  } catch (error) {
    const refusal = toMerkleError(error, log, { operation: operation.name, transport });
    metrics.requests.inc(operation.name, transport, refusal.code);
    throw refusal;
  }
}

/** Runs a wait. The wait ends without messages as soon as its caller's membership or token ends (ENTER-6). */
async function runUnlessEnded(ctx: RequestContext): Promise<unknown> {
  const { principal } = ctx.call;
  if (!principal || principal.kind === "anyone") return run(ctx);
  const ended = new AbortController();
  const release = ctx.services.revocations.watch(principal, () => ended.abort());
  try {
    ctx.signal = AbortSignal.any([ctx.signal, ended.signal]);
    const output = await run(ctx);
    if (ended.signal.aborted) throw membershipEnded();
    return output;
  } finally {
    release();
  }
}

/**
 * Returns the calling team. A person's first write in a session creates the team, in the same transaction
 * (PERSON-3).
 */
async function resolveTeam(
  services: Services,
  operation: Operation,
  { session, caller }: Pick<AdmittedCall, "session" | "caller">,
): Promise<ActingTeam> {
  const unchanged = { team: caller?.team ?? null, joining: null };
  if (!session || !caller?.person || !joinsByWriting(operation, caller)) return unchanged;
  const { person } = caller;
  // Another call by this person may have joined the session since this call was admitted.
  const now = (await services.credentials.verify(session.sessionId, person.credential)) ?? caller;
  if (!joinsByWriting(operation, now)) return { team: now.team, joining: null };
  const joining = await prepareJoin({ services, session, person, left: now.team });
  return { team: joining.team, joining };
}

/**
 * Joins the session after a write that used no transaction, for example because the call was a retry. The
 * write itself is not repeated.
 */
function joinAlone(
  services: Services,
  operation: Operation,
  admitted: Pick<AdmittedCall, "session" | "caller">,
): Promise<void> {
  const { session, caller } = admitted;
  const request = {
    operation: "join_session",
    caller: caller?.person?.personId ?? null,
    idempotencyKey: undefined,
    input: { session_id: session?.sessionId },
  };
  return retryWhileOtherwise(async () => {
    const { joining } = await resolveTeam(services, operation, admitted);
    if (!joining) return;
    await writeOnce(writeServices(services), request, async (write) => {
      await caller?.person?.pending?.create(write);
      await joining.join(write);
      // The result is stored, and storing undefined would mean that there is no result.
      return null;
    });
  });
}

type AdmissionResult = AdmittedCall | { readonly earlier: unknown };

/**
 * Decides whether to serve a call. Only reads from the database, so the decision is retried if the database
 * is briefly unavailable.
 */
function admit(services: Services, call: TransportCall): Promise<AdmissionResult> {
  const raw = requireObject(call.operation, call.input);
  const admitting = retryWhileLost(() => admitOnce(services, call, raw));
  return withTimeout(admitting, limits.silentDatabaseMsMax, "none");
}

/** Finds the session and the caller, authorises the call and validates its input. */
async function admitOnce(services: Services, call: TransportCall, raw: RawInput): Promise<AdmissionResult> {
  const { operation } = call;
  // A node that has lost the node lock serves no calls until it holds the lock again, because another node may
  // hold the lock in the meantime (DB-17).
  if (!services.isAlone()) await services.waitUntilAlone();
  const identified = await identifyCaller(services, call, raw);
  if (operation.teamCredential === "replaced") {
    const earlier = await readEarlierRotation(services, call, raw, identified);
    if (earlier !== undefined) return { earlier };
  }
  const { session, caller } = authorizeCaller(services, call, identified);
  if (session && caller && operation.restrictedBy)
    await requireConvenerPolicy(services, operation.restrictedBy, session, caller.team);
  let input: AdmittedCall["input"];
  try {
    input = parseInput(operation, raw, { isProved: caller !== null });
  } catch (error) {
    if (session && operation.afterClosing === "refused") await requireOpen(services, session);
    throw error;
  }
  if (!operation.readOnly) await refuseLiveCredentials(services.database, input);
  return { session, caller, input };
}

/** Refuses a write to a closed session before invalid input is reported (ERR-2). */
async function requireOpen({ channels }: Services, session: SessionIdentity): Promise<void> {
  const { isClosed: closed } = await channels.open(session.sessionId);
  if (closed) throw sessionClosed(session);
}

/** An admitted call: its session, its caller and its validated input. */
interface AdmittedCall {
  readonly session: SessionIdentity | null;
  readonly caller: Caller | null;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The caller's team. If the call's write creates the team, also the pending join. */
interface ActingTeam {
  readonly team: TeamActor | null;
  readonly joining: PreparedJoin | null;
}

/** The context that is passed to a handler. */
class RequestContext<All extends Services = Services> implements Context<All> {
  readonly services: All;
  readonly call: TransportCall;
  readonly input: AdmittedCall["input"];
  readonly caller: Caller | null;
  readonly transport: Context<Services>["transport"];
  readonly view: Context<Services>["view"];
  signal: AbortSignal;
  readonly idempotencyKey: string | undefined;
  readonly connection: object | undefined;
  readonly principal: Context<Services>["principal"];
  team: TeamActor | null;
  readonly person: Context<Services>["person"];
  /**
   * The session that the call addresses, or null. The types of the handlers declare which operations address
   * a session.
   */
  readonly session: SessionIdentity | null;
  #joining: PreparedJoin | null = null;
  #onWritten: (() => void)[] | null = null;

  constructor(services: All, call: TransportCall, { session, caller, input }: AdmittedCall) {
    const key = input["idempotency_key"];
    this.services = services;
    this.call = call;
    this.input = input;
    this.caller = caller;
    this.transport = call.transport;
    this.view = call.view;
    this.signal = call.signal;
    this.idempotencyKey = typeof key === "string" ? key : undefined;
    this.connection = call.connection;
    this.principal = call.principal;
    this.team = caller?.team ?? null;
    this.person = caller?.person ?? null;
    this.session = session;
  }

  /** Sets the calling team, which the call's own write may still have to create. */
  actAs({ team, joining }: ActingTeam): void {
    this.team = team;
    this.#joining = joining;
  }

  get mustJoin(): boolean {
    return this.#joining !== null && !this.#joining.hasJoined;
  }

  notifyBlocked(): void {
    this.call.onBlocked?.();
  }

  markPlaced(): void {
    this.call.turn?.markPlaced();
  }

  async storeIssuedCredential(tx: Transaction, sessionId: string, credential: string): Promise<void> {
    await this.call.onCredentialIssued?.(tx, sessionId, credential);
  }

  /**
   * Returns a bound function, because handlers destructure the context. A getter, because most calls never need
   * the function.
   */
  get write(): Context<Services>["write"] {
    return (work) => this.#write(work);
  }

  async #write<Result>(work: (write: Write) => Promise<Result>): Promise<Result> {
    const { services, call } = this;
    await call.turn?.earlierEnded;
    return writeOnce(writeServices(services), this.#identity, async (write) => {
      if (call.operation.stores) await this.#takeRoom(write);
      await this.person?.pending?.create(write);
      await this.#joining?.join(write);
      return work(write);
    });
  }

  readEarlierResult(): Promise<unknown> {
    return retryWhileLost(() => readEarlierResult(this.services.database, this.#identity));
  }

  get #identity(): RequestIdentity {
    return identify(this.call.operation, this.input, this.session, this);
  }

  /**
   * Checks that the mesh's quotas are not used up. A retried write does not get here, because it stores
   * nothing (QUOTA-1).
   */
  async #takeRoom({ afterCommit }: Write): Promise<void> {
    const { quotas, database } = this.services;
    const { meshId } = database;
    await quotas.requireRoom(meshId, ["bytes"]);
    if (this.call.operation.stores !== "input" || !quotas.isBounded(meshId, "bytes")) return;
    const bytes = countUtf8Bytes(JSON.stringify(this.input));
    afterCommit(() => quotas.add(meshId, "bytes", bytes));
  }

  onWritten(run: () => void): void {
    this.#onWritten ??= [];
    this.#onWritten.push(run);
  }

  /**
   * Returns a function to call once the reply has been written, which runs the registered callbacks. Null if
   * there are no callbacks.
   */
  get confirmWritten(): CallReply["confirmWritten"] {
    const runs = this.#onWritten;
    return runs && (() => runAll(runs));
  }
}

function runAll(runs: readonly (() => void)[]): void {
  for (const run of runs) run();
}

function writeServices({ database, channels, turns }: Services): Parameters<typeof writeOnce>[0] {
  return { database, turns, onAnnounced: (message) => channels.deliver(message.session_id, [message]) };
}

/**
 * Returns the result of an earlier, identical rotation, if the caller did not receive the reply and still
 * uses the old credential.
 */
async function readEarlierRotation(
  services: Services,
  { operation, principal }: TransportCall,
  raw: RawInput,
  { session, caller, credential }: AuthenticatedCall,
): Promise<unknown> {
  if (caller || !credential) return undefined;
  const parsed = operation.input.safeParse(raw);
  // An invalid request cannot be a retry of a request that succeeded.
  if (!parsed.success) return undefined;
  const identity = identify(operation, parsed.data, session, {
    principal,
    team: { teamId: "", credential },
    person: null,
  });
  return readEarlierResult(services.database, identity);
}

type AnyHandler = (ctx: Context<Services>, input: Readonly<Record<string, unknown>>) => Promise<unknown>;

function callHandler(ctx: RequestContext): Promise<unknown> {
  // The handlers' types tie each handler to its operation. `authorize` guarantees what the handler's context
  // type promises, and the operation's own schema has parsed the input.
  const { handlers } = ctx.services;
  const handler = handlers[ctx.call.operation.name as keyof typeof handlers] as unknown as AnyHandler;
  return handler(ctx, ctx.input);
}
