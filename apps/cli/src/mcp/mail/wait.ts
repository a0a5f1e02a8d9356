import { MerkleError, type Message, type OutputOf, wakes } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { BrokerLink } from "../broker-link.js";
import { fitPage } from "../inbox.js";
import type { PeerSession } from "../peer-sessions.js";
import type { Acknowledger } from "./acknowledger.js";

type WaitOutput = OutputOf<"wait_for_messages">;

export interface WaitResult {
  readonly output: WaitOutput;
  /** The sequences of messages that the model may already have seen. */
  readonly repeatedSequences?: ReadonlySet<number>;
  /**
   * Must be called once the answer has been delivered or lost. `arrived` says whether it reached the client.
   * If not, its messages are offered again.
   */
  settle(isDelivered: boolean): void;
}

export interface WaitRequest {
  readonly team: PeerSession;
  readonly timeoutMs: number;
  readonly includeOwn: boolean;
  /** Who reads the page: a model (`compact`) or a program (`json`). */
  readonly view: "compact" | "json";
  readonly signal: AbortSignal;
  readonly acknowledger: Acknowledger;
}

/**
 * How long after the wait's own timeout to accept the broker's reply, which contains more information than a
 * local answer.
 */
const graceMs = 1_000;
/** Minimum pause before repeating a wait that the broker ended early, which it does when it is stopping. */
const pauseMs = 250;

/**
 * Returns the next messages for a team. Messages that were already pushed are returned immediately. Otherwise
 * the first push or the broker's reply ends the wait. The broker also keeps the wait open, so that others see
 * that the peer is waiting (ROSTER-6).
 *
 * Messages are only offered. They are acknowledged once there is evidence that the model received them
 * (STDIO-5, STDIO-6).
 */
export async function waitForMessages(link: BrokerLink, request: WaitRequest): Promise<WaitResult> {
  const { team, signal } = request;
  const slot = park(team, signal);
  const endsAt = performance.now() + request.timeoutMs;
  try {
    return await readOrBlock(link, request, slot, endsAt);
  } finally {
    slot.leave();
  }
}

interface WaitSlot {
  /**
   * Aborted when the wait is cancelled, or must be answered immediately because of its timeout or a newer
   * wait.
   */
  readonly signal: AbortSignal;
  leave(): void;
}

/**
 * Registers a wait. A peer's fifth wait ends its oldest wait (WAIT-6). This server applies that limit,
 * because the broker cannot distinguish the waits of one peer.
 */
function park({ waits }: PeerSession, cancelled: AbortSignal): WaitSlot {
  const early = new AbortController();
  const answer = () => early.abort();
  const [oldest] = waits;
  if (oldest && waits.size >= limits.parkedWaitsPerPeerMax) {
    waits.delete(oldest);
    oldest();
  }
  waits.add(answer);
  return { signal: AbortSignal.any([early.signal, cancelled]), leave: () => waits.delete(answer) };
}

async function readOrBlock(
  link: BrokerLink,
  request: WaitRequest,
  slot: WaitSlot,
  endsAt: number,
): Promise<WaitResult> {
  const { team, signal } = request;
  let wasConnected = false;
  for (let isFirst = true; ; isFirst = false) {
    await readCursor(link, team, signal);
    const leftMs = endsAt - performance.now();
    const isOver = team.state.membership === "left" || slot.signal.aborted || (wasConnected && leftMs <= 0);
    // A new wait returns all pending messages. Once the wait is blocked, only messages worth waking for end
    // it before its timeout.
    if (!request.includeOwn && (isFirst || isOver ? team.mail.pending.length > 0 : isAnswered(team))) {
      reportProgress(link, request);
      return toMailResult(request, team.state.epoch ?? (await link.getEpoch(signal)));
    }
    // By now the wait has asked the broker at least once, even with `timeout: 0`.
    if (isOver) return createEmptyResult(link, team, signal);
    if (!wasConnected) await link.getEpoch(signal);
    wasConnected = true;
    const reply = await askBroker(link, request, slot, Math.max(leftMs, 0));
    const result = reply && handleReply(request, reply, endsAt - performance.now());
    if (result) return result;
    signal.throwIfAborted();
    if (!isAnswered(team) && performance.now() < endsAt) await pause(slot.signal);
  }
}

function isAnswered({ mail }: PeerSession): boolean {
  return mail.pending.some(wakes);
}

/** Reads the team's cursor from the broker if this server does not know the cursor yet. */
async function readCursor(link: BrokerLink, team: PeerSession, signal?: AbortSignal): Promise<void> {
  if (team.state.acked !== undefined) return;
  const { cursor } = await link.call(
    "ack",
    { session_id: team.sessionId, team_id: team.credential, cursor: 0 },
    signal && { signal },
  );
  team.advance({ type: "cursorRead", cursor });
}

/** Reports the model's cursor and the received messages to the broker, without waiting for a reply. */
function reportProgress(link: BrokerLink, { team, acknowledger }: WaitRequest): void {
  if (team.state.idlePolls === 0) return acknowledger.schedule(team);
  // Only a wait that returns messages resets the broker's count of consecutive empty waits (WAIT-8).
  team.advance({ type: "messagesReturned" });
  const { sessionId: session_id, credential: team_id, mail } = team;
  const since_cursor = mail.ackCursor;
  const { epoch } = team.state;
  link.call("wait_for_messages", { session_id, team_id, since_cursor, timeout: 0 }).then(
    () => team.advance({ type: "acknowledged", cursor: since_cursor, epoch }),
    // If the report fails, acknowledge the cursor separately. The count of empty waits is only a hint.
    () => acknowledger.schedule(team),
  );
}

/**
 * Opens a wait at the broker and returns its reply. Returns null if pushed messages end the wait first, or if
 * time runs out without a reply.
 */
async function askBroker(
  link: BrokerLink,
  { team, includeOwn }: WaitRequest,
  slot: WaitSlot,
  leftMs: number,
): Promise<WaitOutput | null> {
  const enough = new AbortController();
  const signal = AbortSignal.any([enough.signal, slot.signal]);
  let timer = setTimeout(() => enough.abort(), leftMs);
  try {
    // The broker would immediately return messages that are being offered but that the model does not have
    // yet. Until the offer is settled, wait only for pushed messages.
    await waitForMail(team, signal, () => isAnswered(team) || !team.mail.isOffering);
    if (signal.aborted || (!includeOwn && isAnswered(team))) return null;
    clearTimeout(timer);
    timer = setTimeout(() => enough.abort(), leftMs + graceMs);
    const reply = callBroker(link, team, { includeOwn, leftMs, signal });
    if (includeOwn) return await reply;
    return await Promise.race([reply, waitForMail(team, signal, () => isAnswered(team)).then(() => null)]);
  } catch (error) {
    if (signal.aborted) return null;
    // If the connection is lost, keep waiting until the timeout of this wait.
    if (isError(error, "unavailable") && leftMs > 0) return null;
    if (!isError(error, "resync")) throw error;
    if (team.state.acked !== undefined) team.advance({ type: "restored" });
    return null;
  } finally {
    clearTimeout(timer);
    enough.abort();
  }
}

function isError(error: unknown, code: MerkleError["code"]): boolean {
  return error instanceof MerkleError && error.code === code;
}

async function callBroker(
  link: BrokerLink,
  team: PeerSession,
  { includeOwn, leftMs, signal }: { includeOwn: boolean; leftMs: number; signal: AbortSignal },
): Promise<WaitOutput> {
  signal.throwIfAborted();
  const since_cursor = team.mail.ackCursor;
  const { epoch } = team.state;
  // The wait already acknowledges this cursor, so it must not be acknowledged again while the wait is
  // running.
  team.advance({ type: "acknowledged", cursor: since_cursor, epoch });
  const reply = await link.call(
    "wait_for_messages",
    {
      session_id: team.sessionId,
      team_id: team.credential,
      since_cursor,
      timeout: leftMs / 1000,
      ...(includeOwn && { include_own: true }),
      ...(epoch !== undefined && { epoch }),
    },
    { signal, timeoutMs: leftMs + graceMs + graceMs },
  );
  if (!includeOwn && !signal.aborted)
    team.mail.fill(since_cursor, reply.messages.map(team.open), reply.next_cursor);
  return reply;
}

/**
 * Resolves once `isThere` returns true or the signal is aborted. Checks the condition on every change of the
 * inbox.
 */
function waitForMail({ mail }: PeerSession, signal: AbortSignal, isReady: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!signal.aborted && !isReady()) return;
      stopListening();
      signal.removeEventListener("abort", check);
      resolve();
    };
    const stopListening = mail.listen(check);
    signal.addEventListener("abort", check);
    check();
  });
}

/**
 * Converts the broker's reply to the wait's answer. Returns undefined if the broker replied early and there
 * is time left to wait.
 */
function handleReply(request: WaitRequest, reply: WaitOutput, leftMs: number): WaitResult | undefined {
  const { team } = request;
  team.advance({
    type: "waitAnswered",
    epoch: reply.epoch,
    isEmpty: reply.messages.length === 0,
    idlePolls: reply.idle_polls,
    isClosed: reply.session_closed,
  });
  if (request.includeOwn && reply.messages.length > 0) return toPageWithOwn(request, reply);
  if (team.mail.pending.length > 0) return toMailResult(request, reply.epoch, reply);
  if (leftMs > pauseMs && !reply.session_closed && request.timeoutMs > 0) return undefined;
  return { output: toOutput(team, reply, [], reply), settle: () => undefined };
}

function toMailResult(request: WaitRequest, epoch: string, reply?: WaitOutput): WaitResult {
  const { team } = request;
  team.advance({ type: "connected", epoch });
  const offer = team.mail.offer({ by: "call" }, fitPage(request.view));
  if (!offer) throw new Error("The messages to return are no longer there.");
  const beyond = team.mail.pending.length + (reply?.remaining ?? 0);
  return {
    output: toOutput(team, { epoch: team.state.epoch ?? epoch, next_cursor: offer.cursor }, offer.messages, {
      ...(beyond > 0 && { remaining: beyond }),
      ...(reply?.document_version !== undefined && { document_version: reply.document_version }),
      session_closed: team.isClosed && team.mail.isDrained && !reply?.remaining,
    }),
    repeatedSequences: offer.repeatedSequences,
    settle: offer.settle,
  };
}

/**
 * Returns a page that includes the peer's own messages. The page does not come from the inbox, which
 * therefore skips the page's messages.
 */
function toPageWithOwn({ team, view }: WaitRequest, reply: WaitOutput): WaitResult {
  const fits = fitPage(view);
  // The broker's page repeats messages that the model already has, because messages are acknowledged only
  // once they are recorded.
  const all = reply.messages.filter(({ sequence }) => sequence > team.mail.receivedCursor).map(team.open);
  const beyond = all.findIndex((message) => !fits(message));
  const messages = beyond === -1 ? all : all.slice(0, beyond);
  const cursor = beyond === -1 ? reply.next_cursor : (messages.at(-1)?.sequence ?? reply.next_cursor);
  const remaining = (reply.remaining ?? 0) + all.length - messages.length;
  return {
    output: toOutput(team, { epoch: reply.epoch, next_cursor: cursor }, messages, {
      ...reply,
      remaining: remaining > 0 ? remaining : undefined,
      session_closed: reply.session_closed && remaining === 0,
    }),
    settle: (isDelivered) => {
      if (isDelivered) team.mail.passUpTo(cursor);
    },
  };
}

interface WaitFields {
  readonly session_closed: boolean;
  readonly remaining?: number | undefined;
  readonly document_version?: number | undefined;
  readonly idle_polls?: number | undefined;
  readonly advice?: string | undefined;
}

function toOutput(
  team: PeerSession,
  { epoch, next_cursor }: { epoch: string; next_cursor: number },
  messages: readonly Message[],
  { session_closed, remaining, document_version, idle_polls, advice }: WaitFields,
): WaitOutput {
  const { latest, shown } = team.state.document;
  const version = Math.max(document_version ?? 0, latest);
  const isNew = version > shown;
  team.advance({ type: "documentShown", version });
  return {
    messages: [...messages],
    next_cursor,
    session_closed,
    epoch,
    ...(remaining !== undefined && { remaining }),
    ...(isNew && { document_version: version }),
    ...(idle_polls !== undefined && { idle_polls }),
    ...(advice !== undefined && { advice }),
  };
}

/**
 * Returns an empty answer. Used if the time is up and the broker, which is stopping or disconnected, has not
 * replied.
 */
async function createEmptyResult(
  link: BrokerLink,
  team: PeerSession,
  signal: AbortSignal,
): Promise<WaitResult> {
  const epoch = await link.getEpoch(signal);
  const output = toOutput(team, { epoch, next_cursor: team.mail.ackCursor }, [], {
    session_closed: team.isClosed && team.mail.isDrained,
  });
  return { output, settle: () => undefined };
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, pauseMs);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
