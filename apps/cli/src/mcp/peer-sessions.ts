import { type ChangedKind, closeCodes, type DeclaredStatus, type Message } from "@merkle/wire";
import type { MerkleClient, Subscription } from "@merkle/wire/client";
import { peerAddress } from "@merkle/wire/text";
import type { KeyPair } from "../home/stored-peers.js";
import { createInbox, type Inbox, type InboxOptions } from "./inbox.js";

/** A peer that this server acts as: a named peer of a team, or the team itself. */
export interface PeerSession {
  /** The peer's uuid, or the team's if the peer has no name. */
  readonly placeId: string;
  readonly teamId: string;
  readonly name: string;
  readonly peerName: string | null;
  /** The address by which others write to the peer, safe to show a model. */
  readonly address: string;
  readonly sessionId: string;
  readonly slug: string;
  readonly mail: Inbox;
  /** Whether this server was started for the peer. */
  readonly isLaunched: boolean;
  /** The session key with which the peer joined, if any. */
  readonly sessionKey: KeyPair | null;
  /** Decrypts a private message for the peer. */
  readonly open: (message: Message) => Message;
  credential: string;
  /** Whether the cursor of the inbox is known; otherwise the broker must be asked first. */
  placed: boolean;
  /** The epoch of the inbox's sequence numbers; undefined until known. */
  epoch: string | undefined;
  /** The last cursor that was acknowledged to the broker. */
  acked: number;
  /** The broker's count of consecutive empty waits. */
  idlePolls: number;
  /** Whether the database was restored and the model has not been notified yet. */
  resynced: boolean;
  /** A warning about the session's record that the model has not seen yet. */
  warning: string | undefined;
  /** The highest document version that this server knows of, and the highest that the model knows. */
  readonly document: { heard: number; told: number };
  /** Whether the session is known to be concluded. */
  closed: boolean;
  left: boolean;
  /** Whether a newer connection acts as the peer and gets its messages. */
  replaced: boolean;
  /** The status that the peer declared itself, from the broker's last reply. */
  declared: DeclaredStatus | undefined;
  /** The status seen by hooks that was last sent to the broker. */
  observed: "working" | "idle" | undefined;
  /** Whether a hook has explained its messages in this conversation. */
  introduced: boolean;
  /** Whether the conversation was shown what the peer holds when it wanted to conclude. */
  hasSeenOpenWork: boolean;
  /** The brief that the conversation got in place of pages of the feed. */
  brief: GivenBrief | undefined;
  /** The last message that a hook has announced as too long for hooks. */
  announced: number;
  /** The cursor of each subagent. Only the subagent uses it. */
  readonly subagents: Map<string, number>;
  /** The parked waits, the oldest first. Calling one ends it as its timeout would. */
  readonly waits: Set<() => void>;
  /** Releases the lock on the credential. */
  release(): Promise<void>;
}

/**
 * A brief that a conversation got in place of many messages. Those messages stay unread, but hooks no longer deliver them
 * (BRIEF-5).
 */
export interface GivenBrief {
  readonly conversation: string;
  /** The prompt at which the brief was given. Interrupting that prompt takes the brief back. */
  readonly prompt: string;
  /** The brief's first line, by which the client's transcript shows it. */
  readonly title: string;
  /** Messages to everyone up to this sequence are delivered only when the model asks for them. */
  readonly setAside: number;
}

export interface NewTeam {
  readonly placeId: string;
  readonly teamId: string;
  readonly name: string;
  readonly peerName: string | null;
  readonly sessionId: string;
  readonly slug: string;
  readonly credential: string;
  readonly sessionKey?: KeyPair | null;
  /** The cursor to read from. Default: the broker's. */
  readonly place?: number;
  /** Whether a peer that is known already goes back to that cursor. */
  readonly replay?: boolean;
  readonly epoch?: string;
  readonly documentVersion?: number;
  readonly isLaunched?: boolean;
  /** The first state of its inbox. */
  readonly inbox?: InboxOptions;
  readonly release?: () => Promise<void>;
}

/**
 * The peers that this server acts as. A call that names none is made as the last joined. The last one of each session has a
 * subscription that pushes its messages; the others of that session get messages only from waits.
 */
export interface PeerSessions {
  /** Adds a peer as the last joined, unless it is to come first. A known peer is updated. */
  add(team: NewTeam, options?: { readonly behind?: boolean }): PeerSession;
  find(placeId: string): PeerSession | undefined;
  /** The last peer that has not left, of that session (id or slug) or of any. */
  findLast(session?: string): PeerSession | undefined;
  /** The last peer of that session with that team name, and peer name if given, even if it has left. */
  findNamed(session: string, name: string, peerName?: string): PeerSession | undefined;
  /** The last peer that has left, of that session or of any. */
  findLeft(session?: string): PeerSession | undefined;
  /** The peers with a subscription: the last one of each session that has not left. */
  readers(): readonly PeerSession[];
  /** Opens the subscriptions on a new client, or again after a credential was replaced. */
  subscribe(client?: MerkleClient): void;
  /** Resumes the peers that a replaced connection took, except the one that joins again by itself. */
  takeUpAgain(except: string): void;
  leave(team: PeerSession): Promise<void>;
  /** Ends all subscriptions and releases all credentials; the teams stay in their sessions. */
  close(): Promise<void>;
}

interface TeamsOptions {
  readonly log: (text: string) => void;
  /** Called with each new peer. Returns how to stop what it has started. */
  readonly onNew: (team: PeerSession) => () => void;
  /** Decrypts a private message for a peer. */
  readonly open: (team: PeerSession, message: Message) => Message;
  /** Called with the `session_concluded` message of a peer's session. */
  readonly onConcluded?: (team: PeerSession, message: Message) => void;
  /** Called when data of a peer's session has changed, or may have changed while the subscription was closed. */
  readonly onChanged?: (team: PeerSession, kind?: ChangedKind) => void;
}

export function createPeerSessions({ log, onNew, open, onConcluded, onChanged }: TeamsOptions): PeerSessions {
  /** In the order of joining. */
  let teams: PeerSession[] = [];
  let client: MerkleClient | undefined;
  const stops: (() => void)[] = [];
  const subscriptions = new Map<
    string,
    { readonly team: PeerSession; readonly subscription: Subscription }
  >();

  function findLast(session?: string): PeerSession | undefined {
    return teams.findLast((team) => !team.left && (session === undefined || isSession(team, session)));
  }

  function unsubscribe(sessionId: string): void {
    subscriptions.get(sessionId)?.subscription.close();
    subscriptions.delete(sessionId);
  }

  function subscribe(sessionId: string): void {
    unsubscribe(sessionId);
    const team = findLast(sessionId);
    if (!client || !team || team.replaced) return;
    const subscription = client.inbox({
      session: sessionId,
      teamId: team.credential,
      onMessage: (message) => {
        if (message.event === "session_concluded") {
          team.closed = true;
          onConcluded?.(team, message);
        }
        team.mail.push(team.open(message));
      },
      onChanged: ({ kind, version }) => {
        if (kind === "document") team.document.heard = Math.max(team.document.heard, version);
        else onChanged?.(team, kind);
      },
      onResync: () => {
        forgetNumbers(team);
        return undefined;
      },
      // Waits work without the subscription, and report the broker's error to the model.
      onError: (error) => {
        if (error.details["close_code"] === closeCodes.replaced.code) giveUp(team);
        log(`messages are not pushed for ${team.name} in ${team.slug}: ${error.message}`);
        if (subscriptions.get(sessionId)?.team === team) subscriptions.delete(sessionId);
      },
    });
    subscriptions.set(sessionId, { team, subscription });
    onChanged?.(team);
  }

  return {
    add(given, { behind = false } = {}) {
      const earlier = teams.find((team) => team.placeId === given.placeId);
      // Another process has read the peer's messages in the meantime.
      const known = earlier?.replaced ? undefined : earlier;
      const team = known ?? toTeam(given, open);
      if (known) takeUpAgain(known, given);
      else stops.push(onNew(team));
      const others = teams.filter((other) => other !== earlier && other !== team);
      teams = behind ? [team, ...others] : [...others, team];
      subscribe(team.sessionId);
      return team;
    },
    find: (placeId) => teams.find((team) => team.placeId === placeId.toLowerCase()),
    findLast,
    findNamed: (session, name, peerName) =>
      teams.findLast(
        (team) =>
          isSession(team, session) &&
          isSameName(team.name, name) &&
          (peerName === undefined || isSameName(team.peerName ?? "", peerName)),
      ),
    findLeft: (session) =>
      teams.findLast((team) => team.left && (session === undefined || isSession(team, session))),
    readers: () =>
      [...new Set(teams.map((team) => team.sessionId))].flatMap((sessionId) => {
        const team = findLast(sessionId);
        return team && !team.replaced ? [team] : [];
      }),
    subscribe(next = client) {
      if (next !== client) subscriptions.clear();
      client = next;
      for (const sessionId of new Set(teams.map((team) => team.sessionId))) subscribe(sessionId);
    },
    takeUpAgain(except) {
      for (const team of teams) if (team.placeId !== except) team.replaced = false;
    },
    async leave(team) {
      team.left = true;
      // The peer no longer wakes the client.
      team.mail.restart(team.mail.place);
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

/** Drops the pending messages: the connection that acts as the peer now gets them. */
function giveUp(team: PeerSession): void {
  team.replaced = true;
  team.mail.restart(team.mail.place);
}

/** Drops the messages of a database that was replaced by another. The next wait reports it. */
export function forgetNumbers(team: PeerSession): void {
  team.mail.forget();
  team.placed = false;
  team.epoch = undefined;
  team.acked = 0;
  team.resynced = true;
  team.closed = false;
  team.announced = 0;
  team.brief = undefined;
  team.subagents.clear();
  Object.assign(team.document, { heard: 0, told: 0 });
}

function toTeam(given: NewTeam, open: TeamsOptions["open"]): PeerSession {
  const { place, epoch, documentVersion = 0 } = given;
  const team: PeerSession = {
    placeId: given.placeId,
    teamId: given.teamId,
    name: given.name,
    peerName: given.peerName,
    address: peerAddress(given.name, given.peerName),
    sessionId: given.sessionId,
    slug: given.slug,
    mail: createInbox(place ?? 0, given.inbox),
    isLaunched: given.isLaunched ?? false,
    sessionKey: given.sessionKey ?? null,
    open: (message) => open(team, message),
    credential: given.credential,
    placed: place !== undefined,
    epoch,
    acked: place ?? 0,
    idlePolls: 0,
    resynced: false,
    warning: undefined,
    document: { heard: documentVersion, told: documentVersion },
    closed: false,
    left: false,
    replaced: false,
    declared: undefined,
    observed: undefined,
    introduced: false,
    hasSeenOpenWork: false,
    brief: undefined,
    announced: 0,
    subagents: new Map(),
    waits: new Set(),
    release: given.release ?? (async () => undefined),
  };
  return team;
}

function takeUpAgain(team: PeerSession, given: NewTeam): void {
  team.left = false;
  team.credential = given.credential;
  if (given.replay && given.place !== undefined) {
    team.mail.restart(given.place);
    team.acked = given.place;
  }
  if (given.release) {
    const releaseEarlier = team.release;
    const releaseAnother = given.release;
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
