import { type ChangedKind, closeCodes, type Message } from "@merkle/wire";
import type { MerkleClient, Subscription } from "@merkle/wire/client";
import { formatInlineAddress } from "@merkle/wire/text";
import type { KeyPair } from "../home/stored-peers.js";
import { createInbox, type Inbox, type PeerInboxOptions } from "./inbox.js";
import { advancePeer, createPeerState, type PeerEvent, type PeerState } from "./peer-state.js";

/** A peer that this server acts as: a named peer of a team, or the team's unnamed peer. */
export interface PeerSession {
  /** Id of the stored peer: the peer's uuid or, if the peer has no name, the team's uuid. */
  readonly storedPeerId: string;
  readonly teamId: string;
  readonly name: string;
  readonly peerName: string | null;
  /** The address under which others write to the peer, in a form that is safe to show to a model. */
  readonly address: string;
  readonly sessionId: string;
  readonly slug: string;
  readonly mail: Inbox;
  /** Whether this server was started to act as the peer. */
  readonly isLaunched: boolean;
  /** The session key with which the peer joined, if any. */
  readonly sessionKey: KeyPair | null;
  /** Decrypts a private message for the peer. */
  readonly open: (message: Message) => Message;
  readonly credential: string;
  readonly state: PeerState;
  /** Whether the session is known to be concluded. */
  readonly isClosed: boolean;
  /** Changes the state and the inbox after an event. */
  advance(event: PeerEvent): void;
  /** The blocked waits, oldest first. Calling an entry ends that wait as if it had timed out. */
  readonly waits: Set<() => void>;
  /** Releases the lock on the peer. */
  release(): Promise<void>;
}

export interface NewPeerSession {
  readonly storedPeerId: string;
  readonly teamId: string;
  readonly name: string;
  readonly peerName: string | null;
  readonly sessionId: string;
  readonly slug: string;
  readonly credential: string;
  readonly sessionKey?: KeyPair | null;
  /** The cursor after which to read. Defaults to the broker's cursor. */
  readonly cursor?: number;
  /** Whether an already known peer must go back to `cursor`. */
  readonly shouldReplay?: boolean;
  readonly epoch?: string;
  readonly documentVersion?: number;
  readonly isLaunched?: boolean;
  /** The initial options of the peer's inbox. */
  readonly inbox?: PeerInboxOptions;
  readonly release?: () => Promise<void>;
}

/**
 * The peers that this server acts as. A call that names no peer is made as the peer that joined last.
 *
 * In each session, only the peer that joined last has a subscription that pushes messages. Other peers get
 * messages only from waits.
 */
export interface PeerSessions {
  /** Adds a peer as the last joined or, with `isFirst`, as the first. Updates a peer that is already known. */
  add(team: NewPeerSession, options?: { readonly isFirst?: boolean }): PeerSession;
  find(storedPeerId: string): PeerSession | undefined;
  /** Returns the last joined peer that has not left, in the given session (id or slug) or in any session. */
  findLast(session?: string): PeerSession | undefined;
  /** Returns the last joined peer with this team name and, if given, this peer name, even if it has left. */
  findNamed(session: string, name: string, peerName?: string): PeerSession | undefined;
  /** Returns the last joined peer that has left, in the given session or in any session. */
  findLeft(session?: string): PeerSession | undefined;
  /** Returns the peers with a subscription: for each session, the last joined peer that has not left. */
  readers(): readonly PeerSession[];
  /** Opens the subscriptions on a new client, or reopens them after a credential has changed. */
  subscribe(client?: MerkleClient): void;
  /**
   * Resumes the peers that a newer connection has taken over. Skips the peer `except`, which rejoins
   * separately.
   */
  resumeOthers(except: string): void;
  leave(team: PeerSession): Promise<void>;
  /** Ends all subscriptions and releases all locks. The teams stay in their sessions. */
  close(): Promise<void>;
}

interface PeerSessionsOptions {
  readonly log: (text: string) => void;
  /** Called for each new peer. Returns a function that stops everything the callback started. */
  readonly onNew: (team: PeerSession) => () => void;
  /** Decrypts a private message for a peer. */
  readonly open: (team: PeerSession, message: Message) => Message;
  /** Called with the `session_concluded` message of a peer's session. */
  readonly onConcluded?: (team: PeerSession, message: Message) => void;
  /**
   * Called when data in a peer's session has changed, or may have changed while there was no subscription.
   */
  readonly onChanged?: (team: PeerSession, kind?: ChangedKind) => void;
}

export function createPeerSessions({
  log,
  onNew,
  open,
  onConcluded,
  onChanged,
}: PeerSessionsOptions): PeerSessions {
  /** All peers, in the order in which they joined. */
  let teams: PeerSession[] = [];
  let client: MerkleClient | undefined;
  const stops: (() => void)[] = [];
  const subscriptions = new Map<
    string,
    { readonly team: PeerSession; readonly subscription: Subscription }
  >();

  function findLast(session?: string): PeerSession | undefined {
    return teams.findLast((team) => !hasLeft(team) && (session === undefined || isSession(team, session)));
  }

  function unsubscribe(sessionId: string): void {
    subscriptions.get(sessionId)?.subscription.close();
    subscriptions.delete(sessionId);
  }

  function subscribe(sessionId: string): void {
    unsubscribe(sessionId);
    const team = findLast(sessionId);
    if (!client || team?.state.membership !== "member") return;
    const subscription = client.inbox({
      session: sessionId,
      teamId: team.credential,
      onMessage: (message) => {
        if (message.event === "session_concluded") {
          team.advance({ type: "concluded" });
          onConcluded?.(team, message);
        }
        team.mail.push(team.open(message));
      },
      onChanged: ({ kind, version }) => {
        if (kind === "document") team.advance({ type: "documentChanged", version });
        else onChanged?.(team, kind);
      },
      onResync: () => {
        team.advance({ type: "restored" });
        return undefined;
      },
      // Waits work without the subscription, and report the same error to the model.
      onError: (error) => {
        if (error.details["close_code"] === closeCodes.replaced.code) team.advance({ type: "replaced" });
        log(`messages are not pushed for ${team.name} in ${team.slug}: ${error.message}`);
        if (subscriptions.get(sessionId)?.team === team) subscriptions.delete(sessionId);
      },
    });
    subscriptions.set(sessionId, { team, subscription });
    onChanged?.(team);
  }

  return {
    add(newPeer, { isFirst = false } = {}) {
      const earlier = teams.find((team) => team.storedPeerId === newPeer.storedPeerId);
      // Another process has read the peer's messages in the meantime, so the old inbox must not be used.
      const known = earlier?.state.membership === "replaced" ? undefined : earlier;
      const team = known ?? toPeerSession(newPeer, open);
      if (known) rejoinTeam(known, newPeer);
      else stops.push(onNew(team));
      const others = teams.filter((other) => other !== earlier && other !== team);
      teams = isFirst ? [team, ...others] : [...others, team];
      subscribe(team.sessionId);
      return team;
    },
    find: (storedPeerId) => teams.find((team) => team.storedPeerId === storedPeerId.toLowerCase()),
    findLast,
    findNamed: (session, name, peerName) =>
      teams.findLast(
        (team) =>
          isSession(team, session) &&
          isSameName(team.name, name) &&
          (peerName === undefined || isSameName(team.peerName ?? "", peerName)),
      ),
    findLeft: (session) =>
      teams.findLast((team) => hasLeft(team) && (session === undefined || isSession(team, session))),
    readers: () =>
      [...new Set(teams.map((team) => team.sessionId))].flatMap((sessionId) => {
        const team = findLast(sessionId);
        return team?.state.membership === "member" ? [team] : [];
      }),
    subscribe(next = client) {
      if (next !== client) subscriptions.clear();
      client = next;
      for (const sessionId of new Set(teams.map((team) => team.sessionId))) subscribe(sessionId);
    },
    resumeOthers(except) {
      for (const team of teams) if (team.storedPeerId !== except) team.advance({ type: "resumed" });
    },
    async leave(team) {
      team.advance({ type: "left" });
      subscribe(team.sessionId);
      for (const answer of team.waits) answer();
      await team.release();
    },
    async close() {
      for (const stop of stops) stop();
      for (const sessionId of [...subscriptions.keys()]) unsubscribe(sessionId);
      await Promise.all(teams.map((team) => team.release()));
    },
  };
}

function hasLeft({ state }: PeerSession): boolean {
  return state.membership === "left";
}

function toPeerSession(newPeer: NewPeerSession, open: PeerSessionsOptions["open"]): PeerSession {
  const { credential, cursor, epoch, documentVersion = 0 } = newPeer;
  const mail = createInbox(cursor ?? 0, newPeer.inbox);
  let state = createPeerState({ credential, cursor: cursor, epoch, documentVersion });
  const team: PeerSession = {
    storedPeerId: newPeer.storedPeerId,
    teamId: newPeer.teamId,
    name: newPeer.name,
    peerName: newPeer.peerName,
    address: formatInlineAddress(newPeer.name, newPeer.peerName),
    sessionId: newPeer.sessionId,
    slug: newPeer.slug,
    mail,
    isLaunched: newPeer.isLaunched ?? false,
    sessionKey: newPeer.sessionKey ?? null,
    open: (message) => open(team, message),
    get credential() {
      return state.credential;
    },
    get state() {
      return state;
    },
    get isClosed() {
      return state.isClosed;
    },
    advance(event) {
      const { state: next, effect } = advancePeer(state, event);
      state = next;
      if (effect?.do === "restart") mail.restart(effect.after === "own" ? mail.ackCursor : effect.after);
      if (effect?.do === "forget") mail.reset();
    },
    waits: new Set(),
    release: newPeer.release ?? (async () => undefined),
  };
  return team;
}

function rejoinTeam(team: PeerSession, newPeer: NewPeerSession): void {
  const replayFrom = newPeer.shouldReplay ? newPeer.cursor : undefined;
  team.advance({ type: "rejoined", credential: newPeer.credential, replayFrom });
  if (newPeer.release) {
    const releaseEarlier = team.release;
    const releaseAnother = newPeer.release;
    team.release = async () => {
      await releaseEarlier();
      await releaseAnother();
    };
  }
}

function isSameName(name: string, wanted: string): boolean {
  return name.toLowerCase() === wanted.trim().toLowerCase();
}

function isSession({ sessionId, slug }: PeerSession, named: string): boolean {
  return sessionId === named.toLowerCase() || slug === named;
}
