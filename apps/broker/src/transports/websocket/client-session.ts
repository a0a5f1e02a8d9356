import {
  type BrokerFrame,
  buildNumber,
  type CloseReason,
  type FrameRule,
  type HelloResult,
  isSessionOperation,
  MerkleError,
  type Operation,
  type RequestId,
  type SubscriptionKind,
} from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import {
  type AnswerType,
  ClientFrame,
  type FrameAlias,
  findFrameAlias,
  findOperation,
  frameRules,
  parseUnknownFrame,
  type UnknownFrame,
} from "@merkle/wire/schemas";
import { toMerkleError } from "../../core/to-merkle-error.js";
import { createWriteOrder } from "../../core/write-order.js";
import type { StateReceiver } from "../../feed/delivery/state-pushes.js";
import type { Subscription } from "../../feed/delivery/subscription.js";
import type { HelloChallenge } from "../../identity/authenticator/verify-hello.js";
import type { Principal } from "../../identity/principal.js";
import { admitCaller } from "../../sessions/access/admit-caller.js";
import { holdPeer, type InboxHold, type LivePeer } from "../../sessions/peers/peer.js";
import { dispatch } from "../dispatch.js";
import { parseJson } from "../http/parse-json.js";
import { toOutputFor } from "../older-client.js";
import type { Admission, Authenticator } from "../services.js";
import type { ClientConnection } from "./connection.js";
import { openSubscription } from "./open-subscription.js";
import { createPendingNudges } from "./pending-nudges.js";

/** The state of one client's connection: its requests in flight, and its subscriptions. */
export interface ClientSession {
  /** Handles one text frame. A malformed frame closes the connection (WS-7). */
  receive(text: string): void;
  /** Number of requests that have not been answered yet. */
  readonly unanswered: number;
  /** The authenticated principal, or null before authentication. */
  readonly principal: Principal | null;
  /**
   * Ends all requests and subscriptions. `how` says whether the client closed the connection or the
   * connection was lost.
   */
  end(how: "goodbye" | "lost"): void;
}

interface OpenSubscription {
  readonly subscription: Subscription;
  /**
   * The session and credential of an inbox, used as defaults for operations whose aliases name no session
   * (WS-14).
   */
  readonly inbox: InboxOwner | null;
  /** The peer whose inbox is subscribed. Null for a follow. */
  readonly peer: LivePeer | null;
  /** The connection's hold on the inbox's peer. Null for a follow. */
  readonly hold: InboxHold | null;
  readonly stopState: () => void;
}

interface InboxOwner {
  readonly session_id: string;
  readonly team_id: string;
}

type Frame<Type extends ClientFrame["type"]> = Extract<ClientFrame, { type: Type }>;

/** Everything needed to check a client's answer to the broker's hello. */
export interface Greeting {
  readonly authenticator: Authenticator;
  readonly challenge: HelloChallenge;
  /** Returns whether an address (scheme, host and port) leads to this broker. */
  readonly isOwnOrigin: (origin: string) => boolean;
  /** Called once the client has authenticated. */
  onAuthenticated(): void;
  /** The client's build, as returned by `readBuild`. */
  readonly build: number | null;
}

export function createClientSession(
  greeting: Greeting,
  connection: ClientConnection,
  address: string,
  cutOff: (reason: CloseReason) => void,
): ClientSession {
  const { authenticator } = greeting;
  let { services } = authenticator.unauthenticated;
  let stopWatching = () => {};
  let hasAsked = false;
  let leaveMesh: (() => void) | null = null;
  const lifetime = new AbortController();
  // Waits in progress by request id. If a client uses one id for several waits, cancelling the id cancels all
  // of them.
  const waits = new Map<RequestId, Set<AbortController>>();
  const subscriptions = new Map<string, OpenSubscription>();
  const nudges = createPendingNudges((frame) => connection.send(frame));
  const writes = createWriteOrder();
  let state = receiveState(authenticator.unauthenticated.principal);
  let stopWatchingMesh = () => {};
  // Uses plain fields, because getters would give every connection its own hidden class.
  const self = { receive, unanswered: 0, principal: authenticator.unauthenticated.principal, end };

  /**
   * Returns the client's build. If the client names no build, it is considered old if it subscribes before
   * its first request.
   */
  function findBuild(): number {
    return greeting.build ?? (subscriptions.size > 0 ? 0 : buildNumber);
  }

  function receive(text: string): void {
    // A client that was just replaced may have sent this frame before it was notified.
    if (lifetime.signal.aborted) return;
    const frame = parseFrame(text);
    if (!frame) return cutOff("bad_frame");
    if (frame.type === "hello") return answer(frame, introduce);
    const alias = frame.type === "foreign" ? findFrameAlias(frame.name) : undefined;
    if (frame.type === "foreign" && !alias) return sendError(frame.id, unknownType(frame.name));
    if (!hasAsked && frame.type !== "ping") {
      hasAsked = true;
      if (self.principal && !enterMesh()) return cutOff("too_many_connections");
    }
    switch (frame.type) {
      case "ping":
        return connection.send({ type: "reply", id: frame.id, output: {} });
      case "cancel":
        for (const wait of waits.get(frame.id) ?? []) wait.abort();
        return;
      case "nudged":
        return nudges.answer(frame.id, frame.reached);
      case "unsubscribe":
        return answer(frame, unsubscribe);
      case "subscribe":
        return answer(frame, subscribe);
      case "watch_mesh":
        return answer(frame, watchMesh);
      case "unwatch_mesh":
        return answer(frame, unwatchMesh);
      case "request":
        return void request(frame.id, frame.operation, frame.input, null);
      case "foreign":
        return alias && requestAs(alias, frame);
    }
  }

  /**
   * Runs the work for a frame. If the work fails, sends an error reply. If it succeeds, the work itself sends
   * the reply.
   */
  function answer<AnsweredFrame extends { readonly id: RequestId }>(
    frame: AnsweredFrame,
    work: (frame: AnsweredFrame) => Promise<void>,
  ): void {
    if (!begin()) return;
    work(frame).then(finish, (error: unknown) => refuse(frame.id, error));
  }

  /** Counts a request as unanswered. If there are too many, closes the connection and returns false. */
  function begin(): boolean {
    const mayBegin = self.unanswered < limits.unansweredRequestsPerConnectionMax;
    if (mayBegin) self.unanswered += 1;
    else cutOff("too_many_requests");
    return mayBegin;
  }

  function finish(): void {
    self.unanswered -= 1;
  }

  function refuse(id: RequestId | null, reason: unknown): void {
    finish();
    sendError(id, reason);
  }

  function sendError(id: RequestId | null, reason: unknown): void {
    const { code, message, details } = toMerkleError(reason, services.log, { transport: "websocket" });
    const error = { code, message, details };
    connection.send(id === null ? { type: "error", error } : { type: "reply", id, error });
  }

  /**
   * Counts the connection in its mesh when it authenticates or sends its first request. Returns false if the
   * mesh's quota of connections is used up (QUOTA-2).
   */
  function enterMesh(): boolean {
    const { database, quotas } = services;
    if (leaveMesh) return true;
    if (quotas.findSpent(database.meshId, ["connections"])) return false;
    leaveMesh = quotas.connect(database.meshId);
    return true;
  }

  /** Authenticates the client by its answer to the broker's hello (ENTER-2). */
  async function introduce({ id, mesh, proof }: Frame<"hello">): Promise<void> {
    const { challenge, isOwnOrigin } = greeting;
    const nonce = challenge.take();
    if (hasAsked || nonce === null) throw helloTooLate();
    const helloOptions = { nonce: challenge.isExpired ? null : nonce, isOwnOrigin, now: new Date() };
    const admission = await authenticator.authenticateHello({ mesh, proof }, helloOptions);
    await admitFrame(frameRules.hello, {}, admission);
    await admission.services.quotas.requireRoom(admission.services.database.meshId, ["connections"]);
    if (lifetime.signal.aborted) return;
    const { principal } = admission;
    self.principal = principal;
    services = admission.services;
    enterMesh();
    greeting.onAuthenticated();
    state.end();
    state = receiveState(principal);
    stopWatching = services.revocations.watch(principal, () => cutOff("unauthorized"));
    connection.send({ type: "reply", id, output: toAdmitted(admission) });
  }

  function receiveState(principal: Principal | null): StateReceiver {
    const meshId = principal === null || principal.kind === "observer" ? null : principal.meshId;
    return services.channels.receiveState(meshId, connection, () => cutOff("slow_consumer"));
  }

  /** Admits a frame that is not a request, with the same checks that apply to a request (AUTH-12). */
  function admitFrame(
    operation: FrameRule,
    frame: object,
    as: Admission = { principal: self.principal, services },
  ) {
    return admitCaller(as.services, { operation, principal: as.principal }, { ...frame });
  }

  function requestAs({ answer, renamed }: FrameAlias, { name, id, fields }: UnknownFrame): void {
    const operation = findOperation(name);
    if (!operation) throw new TypeError(`The alias ${name} names no operation.`);
    const [aliasField, operationField] = renamed ?? [];
    const entries = Object.entries(fields).map(([field, value]) => [
      field === aliasField ? operationField : field,
      value,
    ]);
    void request(id, name, { ...findDefaults(operation), ...Object.fromEntries(entries) }, answer ?? null);
  }

  /**
   * Returns the session and credential of the connection's inbox, if the connection has exactly one inbox.
   */
  function findDefaults(operation: Operation): Partial<InboxOwner> {
    const inboxes = [...subscriptions.values()].flatMap(({ inbox }) => inbox ?? []);
    const [only, another] = inboxes;
    if (!only || another) return {};
    return isSessionOperation(operation) ? only : { team_id: only.team_id };
  }

  async function request(
    id: RequestId | null,
    name: string,
    input: unknown,
    answerType: AnswerType | null,
  ): Promise<void> {
    if (!begin()) return;
    const operation = findOperation(name);
    if (!operation) return refuse(id, noSuchOperation(name));
    const wait = operation.kind === "wait" && id !== null ? startWait(id) : null;
    const signal = wait?.signal ?? lifetime.signal;
    const turn = operation.readOnly ? undefined : writes.take(toSessionRef(input));
    const { principal } = self;
    const call = { operation, principal, address, input, signal, connection, turn, ...overWebSocket };
    try {
      await turn?.earlierPlaced;
      const { output, confirmWritten } = await dispatch(services, call);
      const frame = toReply({ id, answerType }, toOutputFor(findBuild(), operation, output));
      // A cancelled wait still gets a reply, but its messages do not count as delivered.
      if (frame) connection.send(frame, confirmWritten && (() => signal.aborted || confirmWritten()));
    } catch (error) {
      sendError(id, error);
    } finally {
      turn?.end();
      if (wait && id !== null) endWait(id, wait);
      finish();
    }
  }

  function startWait(id: RequestId): AbortController {
    const wait = new AbortController();
    waits.set(id, (waits.get(id) ?? new Set()).add(wait));
    return wait;
  }

  function endWait(id: RequestId, wait: AbortController): void {
    const sameId = waits.get(id);
    sameId?.delete(wait);
    if (sameId?.size === 0) waits.delete(id);
  }

  async function subscribe(frame: Frame<"subscribe">): Promise<void> {
    const opened = await openSubscription({ principal: self.principal, services }, frame);
    if (lifetime.signal.aborted) return;
    const key = toSubscriptionKey(frame.kind, opened.subscribed.session_id);
    // Checked only after the await, because other subscriptions may have been opened during it.
    if (!subscriptions.has(key) && subscriptions.size >= limits.subscriptionsPerConnectionMax) {
      throw tooManySubscriptions();
    }
    const peerHold = opened.peer && hold(opened.peer);
    // Saved before the reply, so that every node sees the peer as connected. A single node skips the save, so
    // that the reply is sent before another connection can take over the peer.
    if (opened.peer && !services.nodes.isAlone) {
      await services.presence.saveForOthers(opened.peer).catch(() => undefined);
    }
    if (lifetime.signal.aborted) {
      if (peerHold && opened.peer) release(opened.peer, peerHold, "lost");
      return;
    }
    closeSubscription(key, "lost");
    connection.send({ type: "reply", id: frame.id, output: opened.subscribed });
    services.metrics.subscriptions.inc();
    subscriptions.set(key, {
      subscription: opened.start(connection),
      inbox: toInbox(frame, opened.subscribed.session_id),
      peer: opened.peer,
      hold: peerHold,
      stopState: state.follow(opened.subscribed.session_id),
    });
  }

  function hold(peer: LivePeer): InboxHold {
    const peerHold = holdPeer(peer, {
      connection,
      nudge: nudges.send,
      replace() {
        end("lost");
        cutOff("replaced");
      },
    });
    services.presence.noteActivity(peer);
    services.channels.announcePresence(peer.sessionId);
    return peerHold;
  }

  function release(peer: LivePeer, peerHold: InboxHold, how: "goodbye" | "lost"): void {
    peerHold.release(how);
    services.presence.noteActivity(peer);
    services.channels.announcePresence(peer.sessionId);
  }

  function closeSubscription(key: string, how: "goodbye" | "lost"): void {
    const open = subscriptions.get(key);
    open?.subscription.stop();
    if (open?.hold && open.peer) release(open.peer, open.hold, how);
    open?.stopState();
    if (subscriptions.delete(key)) services.metrics.subscriptions.dec();
  }

  async function unsubscribe(frame: Frame<"unsubscribe">): Promise<void> {
    const { session } = await admitFrame(frameRules.unsubscribe, frame);
    if (session) closeSubscription(toSubscriptionKey(frame.kind, session.sessionId), "lost");
    connection.send({ type: "reply", id: frame.id, output: {} });
  }

  /** Starts watching the mesh when the reply is sent. A second watch replaces the first. */
  async function watchMesh(frame: Frame<"watch_mesh">): Promise<void> {
    const { caller } = await admitFrame(frameRules.watch_mesh, frame);
    if (lifetime.signal.aborted) return;
    stopWatchingMesh();
    connection.send({ type: "reply", id: frame.id, output: {} });
    stopWatchingMesh = services.mesh.watch({
      sink: connection,
      personId: caller?.person?.personId ?? null,
      cutOff: () => cutOff("slow_consumer"),
    });
  }

  async function unwatchMesh(frame: Frame<"unwatch_mesh">): Promise<void> {
    await admitFrame(frameRules.unwatch_mesh, frame);
    stopWatchingMesh();
    connection.send({ type: "reply", id: frame.id, output: {} });
  }

  function end(how: "goodbye" | "lost"): void {
    lifetime.abort();
    leaveMesh?.();
    leaveMesh = null;
    stopWatching();
    stopWatchingMesh();
    nudges.end();
    state.end();
    for (const sameId of waits.values()) for (const wait of sameId) wait.abort();
    for (const key of subscriptions.keys()) closeSubscription(key, how);
  }

  return self;
}

const overWebSocket = { transport: "websocket", view: "json" } as const;

function toReply(
  { id, answerType }: { id: RequestId | null; answerType: AnswerType | null },
  output: unknown,
): BrokerFrame | null {
  if (id !== null) return { type: "reply", id, output };
  return answerType && { ...Object(output), type: answerType };
}

function toInbox({ kind, team_id }: Frame<"subscribe">, session_id: string): InboxOwner | null {
  return kind === "inbox" && team_id !== undefined ? { session_id, team_id } : null;
}

/** Returns the session's id or slug as given by the client, or "" for a call without a session. */
function toSessionRef(input: unknown): string {
  const ref = Object(input)["session_id"];
  return typeof ref === "string" ? ref.toLowerCase() : "";
}

function toAdmitted({ principal, services }: Admission): HelloResult {
  if (!principal) throw new TypeError("The client was not authenticated.");
  const { meshId } = services.database;
  return { mesh_id: meshId, mesh: services.meshName, as: toIdentity(principal) };
}

function toIdentity(principal: Principal): HelloResult["as"] {
  switch (principal.kind) {
    case "anyone":
      return { kind: "anyone" };
    case "member":
      return {
        kind: "member",
        member_id: principal.memberId,
        name: principal.name,
        role: principal.role,
      };
    case "observer":
      return { kind: "observer", session_id: principal.sessionId };
    case "job":
    case "client":
      throw new TypeError("This kind of credential cannot open a WebSocket."); // neither kind can be sent in a hello
  }
}

function noSuchOperation(name: string): MerkleError {
  return new MerkleError("not_found", `There is no operation "${name.slice(0, 100)}".`);
}

function unknownType(name: string): MerkleError {
  const frameTypes = ClientFrame.options.map(({ shape }) => shape.type.value).join(", ");
  return new MerkleError(
    "bad_request",
    `There is no frame type "${name.slice(0, 100)}". To call an operation, send "request"; the types are ${frameTypes}.`,
  );
}

function helloTooLate(): MerkleError {
  return new MerkleError(
    "bad_request",
    "A client can send its hello only once, before any request. To act as someone else, open another connection.",
  );
}

function tooManySubscriptions(): MerkleError {
  const max = limits.subscriptionsPerConnectionMax;
  return new MerkleError(
    "too_many_requests",
    `A connection can have at most ${max} subscriptions. End one first, or open another connection.`,
    { subscriptions_max: max, retry_after_s: 1 },
  );
}

function toSubscriptionKey(kind: SubscriptionKind, sessionId: string): string {
  return `${kind} ${sessionId}`;
}

function parseFrame(text: string): ClientFrame | UnknownFrame | null {
  try {
    const frame = parseJson(text);
    if (isPlainRequest(frame)) return frame;
    const parsed = ClientFrame.safeParse(frame);
    return parsed.success ? parsed.data : parseUnknownFrame(frame);
  } catch {
    return null;
  }
}

/**
 * Returns whether a frame is a plain request, as nearly all frames are. Other frames are parsed by the
 * schema, which would also accept plain requests (WS-1).
 */
function isPlainRequest(frame: unknown): frame is Frame<"request"> {
  if (typeof frame !== "object" || frame === null) return false;
  let fields = 0;
  for (const _name in frame) fields += 1;
  const { type, id, operation, input }: Partial<Record<keyof Frame<"request">, unknown>> = frame;
  return (
    fields === 4 &&
    type === "request" &&
    Number.isSafeInteger(id) &&
    typeof operation === "string" &&
    input !== undefined
  );
}
