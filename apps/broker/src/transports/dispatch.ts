import type { Transaction } from "@merkle/db";
import { type Operation, parseInvite } from "@merkle/wire";
import { limits, type ShareName } from "@merkle/wire/limits";
import { utf8Bytes } from "@merkle/wire/text";
import { toAddressBlock } from "../core/address-block.js";
import { parseInput, type RawInput, requireObject } from "../core/parse-input.js";
import { retryWhileLost } from "../core/retry-while-lost.js";
import { toMerkleError } from "../core/to-merkle-error.js";
import { withTimeout } from "../core/with-timeout.js";
import { type RequestIdentity, readEarlierResult, type Write, writeOnce } from "../core/write.js";
import type { WriteTurn } from "../core/write-order.js";
import type { DrawnPerson } from "../identity/credential.js";
import { type ShareHolder, shareHolderOf } from "../identity/limits/shares.js";
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
import { JoinedOtherwise, type Joining, prepareJoining } from "../sessions/roster/join-as-person.js";
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
  /** Called with a credential, in the transaction that creates it. */
  readonly onGivenOut?:
    | ((tx: Transaction, sessionId: string, credential: string) => Promise<void>)
    | undefined;
  /** Called when a wait has found nothing and begins to block; the call has passed every check by then. */
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
export async function dispatch(services: Services, call: Call): Promise<Reply> {
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

async function answer(services: Services, call: Call): Promise<Reply> {
  const admitted = await admit(services, call);
  if ("earlier" in admitted) return { output: admitted.earlier, written: null };
  const ctx = new RequestContext(services, call, admitted);
  const output = await limitTime(ctx, call.operation.kind === "wait" ? runUnlessEnded(ctx) : run(ctx));
  return { output, written: ctx.written };
}

/** Everything is answered soon, whatever the database does; a wait may block for its own time before. */
function limitTime({ call, input }: RequestContext, running: Promise<unknown>): Promise<unknown> {
  const { kind, readOnly } = call.operation;
  // A job claimed for a runner that has been answered already would wait for its lease to run out.
  if (kind === "wait" && !readOnly) return running;
  const blocksMs = 1_000 * Math.min(Number(input["timeout"] ?? 0), limits.waitSecondsMax);
  return withTimeout(running, blocksMs + limits.silentDatabaseMsMax, readOnly ? "none" : "unknown");
}

function run(ctx: RequestContext): Promise<unknown> {
  const { operation } = ctx.call;
  if (operation.share) return callInPlace(ctx, operation.share);
  if (operation.readOnly) return retryCall(ctx);
  const calling = operation.human === "power" ? callAndLog(ctx) : callOnce(ctx);
  ctx.services.foreground.count(calling);
  return ctx.services.nodes.alone || operation.readAnew ? calling : settle(ctx, calling);
}

/** Each principal has places of its own for reads that take long, which give way to writes (GUARD-24). */
function callInPlace(ctx: RequestContext, share: ShareName): Promise<unknown> {
  const { shares, foreground } = ctx.services;
  const read = async () => {
    await foreground.whenQuiet();
    return retryCall(ctx);
  };
  return shares.run(share, holderOf(ctx), read, ctx.signal);
}

/** Whose places a call takes. */
function holderOf({ principal, team, person, call }: RequestContext): ShareHolder {
  return shareHolderOf(principal, person?.personId ?? team?.teamId, toAddressBlock(call.address));
}

/** Whoever gets the answer finds the change at any node (NODE-14). */
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
  logPower(ctx.services, ctx.call, ctx.caller);
  return output;
}

function callOnce(ctx: RequestContext): Promise<unknown> {
  return triesCode(ctx.call.operation, ctx.input) ? tryCode(ctx) : joinOrCall(ctx);
}

function tryCode(ctx: RequestContext): Promise<unknown> {
  return ctx.services.limiter.tryCode(ctx.call.address, () => joinOrCall(ctx));
}

/** Nearly all calls join nobody, and nothing of them is done twice. */
function joinOrCall(ctx: RequestContext): Promise<unknown> {
  const calling = joinsByWriting(ctx.call.operation, ctx.caller) ? joinAndCall(ctx) : callHandler(ctx);
  const drawn = ctx.person?.drawn;
  return drawn === undefined ? calling : makeWith(ctx, drawn, calling);
}

/** Makes a person for a call that is done and needed no transaction; one that is refused makes nobody (PERSON-15). */
async function makeWith(
  ctx: RequestContext,
  drawn: DrawnPerson,
  calling: Promise<unknown>,
): Promise<unknown> {
  const output = await calling;
  if (drawn.made) return output;
  const request = {
    operation: "create_person",
    caller: ctx.person?.personId ?? null,
    idempotencyKey: undefined,
    input: {},
  };
  await writeOnce(writeServices(ctx.services), request, async (write) => {
    await drawn.make(write);
    return null;
  });
  return output;
}

function joinAndCall(ctx: RequestContext): Promise<unknown> {
  const { services, call } = ctx;
  return retryWhileOtherwise(async () => {
    const taken = await retryWhileLost(() => takeTeam(services, call.operation, ctx));
    ctx.take(taken);
    const output = await callHandler(ctx);
    if (taken.joining && !taken.joining.joined) await joinAlone(services, call.operation, ctx);
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
export interface OpenedCall<All extends Services> {
  readonly ctx: Context<All>;
  readonly holder: ShareHolder;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Admits a call that is answered with, or brings, a file: the same way as every other (ERR-2). What the file is made of or
 * becomes is its transport's part, and may take longer than a reply may.
 *
 * @throws MerkleError, whatever went wrong
 */
export async function openCall<All extends Services>(services: All, call: Call): Promise<OpenedCall<All>> {
  const { operation, transport } = call;
  const { metrics, log } = services;
  try {
    const admitted = await admit(services, call);
    if ("earlier" in admitted)
      throw new TypeError(`${operation.name} stores no results, but an earlier result was found.`);
    metrics.requests.inc(operation.name, transport, "ok");
    const ctx = new RequestContext(services, call, admitted);
    return { ctx, holder: holderOf(ctx), input: admitted.input };
  } catch (error) {
    const refusal = toMerkleError(error, log, { operation: operation.name, transport });
    metrics.requests.inc(operation.name, transport, refusal.code);
    throw refusal;
  }
}

/** A wait ends as soon as the membership or the token of its caller does (ENTER-6), and returns nothing then. */
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
      await caller?.person?.drawn?.make(write);
      await joining.join(write);
      // Its result is stored, and undefined is none.
      return null;
    });
  });
}

type Admitted = Request | { readonly earlier: unknown };

/** Decides whether a call is served. All of this only reads, so it waits for a database that is away for a moment. */
function admit(services: Services, call: Call): Promise<Admitted> {
  const raw = requireObject(call.operation, call.input);
  const admitting = retryWhileLost(() => admitOnce(services, call, raw));
  return withTimeout(admitting, limits.silentDatabaseMsMax, "none");
}

/** Which session is meant and who calls, whether they may, and what exactly they ask for. */
async function admitOnce(services: Services, call: Call, raw: RawInput): Promise<Admitted> {
  const { operation } = call;
  // A node that has lost its lock serves nothing until it holds it again: another one may have it (DB-17).
  if (!services.isAlone()) await services.whenAlone();
  const identified = await identifyCaller(services, call, raw);
  if (operation.teamCredential === "replaced") {
    const earlier = await readEarlierRotation(services, call, raw, identified);
    if (earlier !== undefined) return { earlier };
  }
  const { session, caller } = letIn(services, call, identified);
  if (session && caller && operation.keptBy)
    await requireConvenerPolicy(services, operation.keptBy, session, caller.team);
  let input: Request["input"];
  try {
    input = parseInput(operation, raw, { proved: caller !== null });
  } catch (error) {
    if (session && operation.afterClosing === "refused") await requireOpen(services, session);
    throw error;
  }
  if (!operation.readOnly) await refuseLiveCredentials(services.database, input);
  return { session, caller, input };
}

/** A closed session refuses a write before it is looked at what is wrong with it (ERR-2). */
async function requireOpen({ channels }: Services, session: SessionIdentity): Promise<void> {
  const { closed } = await channels.open(session.sessionId);
  if (closed) throw sessionClosed(session);
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
class RequestContext<All extends Services = Services> implements Context<All> {
  readonly services: All;
  readonly call: Call;
  readonly input: Request["input"];
  readonly caller: Caller | null;
  readonly transport: Context<Services>["transport"];
  readonly view: Context<Services>["view"];
  signal: AbortSignal;
  readonly idempotencyKey: string | undefined;
  readonly connection: object | undefined;
  readonly principal: Context<Services>["principal"];
  team: TeamActor | null;
  readonly person: Context<Services>["person"];
  /** The session of those contexts that address one; the types of the verbs say which do. */
  readonly session: SessionIdentity | null;
  #joining: Joining | null = null;
  #onWritten: (() => void)[] | null = null;

  constructor(services: All, call: Call, { session, caller, input }: Request) {
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

  /** Calls as this team from here on, which the call's own write may make. */
  take({ team, joining }: TakenTeam): void {
    this.team = team;
    this.#joining = joining;
  }

  get joins(): boolean {
    return this.#joining !== null && !this.#joining.joined;
  }

  onBlocked(): void {
    this.call.onBlocked?.();
  }

  placed(): void {
    this.call.turn?.placed();
  }

  async givenOut(tx: Transaction, sessionId: string, credential: string): Promise<void> {
    await this.call.onGivenOut?.(tx, sessionId, credential);
  }

  /** A function of its own, since verbs take it out of their context; most need none. */
  get write(): Context<Services>["write"] {
    return (work) => this.#write(work);
  }

  async #write<Result>(work: (write: Write) => Promise<Result>): Promise<Result> {
    const { services, call } = this;
    await call.turn?.earlierEnded;
    return writeOnce(writeServices(services), this.#identity, async (write) => {
      if (call.operation.stores) await this.#takeRoom(write);
      await this.person?.drawn?.make(write);
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

  /** A repeated write does not come here: it stores nothing (QUOTA-1). */
  async #takeRoom({ afterCommit }: Write): Promise<void> {
    const { quotas, database } = this.services;
    const { meshId } = database;
    await quotas.requireRoom(meshId, ["bytes"]);
    if (this.call.operation.stores !== "input" || !quotas.isBounded(meshId, "bytes")) return;
    const bytes = utf8Bytes(JSON.stringify(this.input));
    afterCommit(() => quotas.add(meshId, "bytes", bytes));
  }

  onWritten(run: () => void): void {
    this.#onWritten ??= [];
    this.#onWritten.push(run);
  }

  /** Runs what was to happen once the reply is written; null where nothing is. */
  get written(): Reply["written"] {
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

/** The result of the same rotation, whose caller has not seen the answer and still has the old credential. */
async function readEarlierRotation(
  services: Services,
  { operation, principal }: Call,
  raw: RawInput,
  { session, caller, credential }: Authenticated,
): Promise<unknown> {
  if (caller || !credential) return undefined;
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

function callHandler(ctx: RequestContext): Promise<unknown> {
  // The types of the handlers tie each verb to its operation; what authorize let through is what that verb's context
  // promises, and the input was parsed by that operation's own schema.
  const { handlers } = ctx.services;
  const handler = handlers[ctx.call.operation.name as keyof typeof handlers] as unknown as AnyHandler;
  return handler(ctx, ctx.input);
}
