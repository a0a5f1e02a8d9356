import { type ChangedKind, closeCodes, type DeclaredStatus, type Message } from "@merkle/wire";
import type { MerkleClient, Subscription } from "@merkle/wire/client";
import { peerAddress } from "@merkle/wire/text";
import type { KeyPair } from "../home/stored-peers.js";
import { createInbox, type Inbox, type InboxOptions } from "./inbox.js";

/** A place that this server acts in: a named peer of a team, or the team itself. */
export interface PeerSession {
  /** The peer's uuid, or where it has no name, the team's. */
  readonly placeId: string;
  readonly teamId: string;
  readonly name: string;
  readonly peerName: string | null;
  /** How others write to it, as a model may read it. */
  readonly address: string;
  readonly sessionId: string;
  readonly slug: string;
  readonly mail: Inbox;
  /** Whether this server was started for it. */
  readonly isLaunched: boolean;
  /** The key that the place was taken with, where it was with one. */
  readonly sessionKey: KeyPair | null;
  /** Opens what is private for the place. */
  readonly open: (message: Message) => Message;
  credential: string;
  /** The place that the mail starts from is known; otherwise the broker is to be asked first. */
  placed: boolean;
  /** The epoch that the mail's numbers belong to; undefined until it is known. */
  epoch: string | undefined;
  /** The cursor that was acknowledged to the broker last. */
  acked: number;
  /** How many waits in a row were empty, as the broker counts. */
  idlePolls: number;
  /** The database was restored, and the model has not been told yet. */
  resynced: boolean;
  /** A warning about the session's record that the model has not been given yet. */
  warning: string | undefined;
  /** The highest version of the document that was heard of, and that the model knows. */
  readonly document: { heard: number; told: number };
  /** Something said that the session is concluded. */
  closed: boolean;
  left: boolean;
  /** A newer connection holds the place: what comes goes there. */
  replaced: boolean;
  /** The status that the peer has declared itself, as the broker said last. */
  declared: DeclaredStatus | undefined;
  /** The status that its hooks have shown, as the broker was told last. */
  observed: "working" | "idle" | undefined;
  /** Whether a hook has told the conversation what the messages are that it brings. */
  introduced: boolean;
  /** Whether the conversation was shown what the peer holds when it wanted to conclude. */
  hasSeenOpenWork: boolean;
  /** The brief that the conversation was given instead of pages of the feed. */
  brief: GivenBrief | undefined;
  /** Up to which message it was said that some are too long for a hook. */
  announced: number;
  /** How far each subagent has read along, which nobody else is concerned by. */
  readonly subagents: Map<string, number>;
  /** Waits that block, the oldest first; each is answered by its function as at its timeout. */
  readonly waits: Set<() => void>;
  /** Ends the exclusive hold on the credential. */
  release(): Promise<void>;
}

/**
 * A brief that a conversation was given of a session instead of pages of it. Nothing counts as read by it: what it stands for is
 * only brought by no hook any more (BRIEF-5).
 */
export interface GivenBrief {
  readonly conversation: string;
  /** The prompt at which it was given, which an interruption takes back. */
  readonly prompt: string;
  /** How it begins in the client's record. */
  readonly title: string;
  /** Messages to everyone up to here wait until they are asked for. */
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
  /** Where reading starts; left out when only the broker knows. */
  readonly place?: number;
  /** Whether a place that is known already goes back to that message. */
  readonly replay?: boolean;
  readonly epoch?: string;
  readonly documentVersion?: number;
  readonly isLaunched?: boolean;
  /** How its inbox begins. */
  readonly inbox?: InboxOptions;
  readonly release?: () => Promise<void>;
}

/**
 * The teams that this server acts as, the one joined last being meant where none is named. The last one of each session has
 * a subscription that brings its mail; for any other of that session only waits do.
 */
export interface PeerSessions {
  /**
   * Takes up a team, which becomes the last one unless it is to stand behind the others; one that is known is taken up again
   * with what is new.
   */
  add(team: NewTeam, options?: { readonly behind?: boolean }): PeerSession;
  find(placeId: string): PeerSession | undefined;
  /** The last one that has not left, of that session (id or slug) or of any. */
  findLast(session?: string): PeerSession | undefined;
  /** The last one of that session and name, and peer's name where one is given; also one that has left. */
  findNamed(session: string, name: string, peerName?: string): PeerSession | undefined;
  /** The last one that has left, of that session or of any. */
  findLeft(session?: string): PeerSession | undefined;
  /** Those that get mail pushed: the last one of each session that has not left. */
  readers(): readonly PeerSession[];
  /** Opens the subscriptions anew, with a client that has none, or after a credential was replaced. */
  subscribe(client?: MerkleClient): void;
  /** Resumes the peers that were lost with a replaced connection, except the one that joins again by itself. */
  takeUpAgain(except: string): void;
  leave(team: PeerSession): Promise<void>;
  /** Ends all subscriptions and releases all credentials; the teams stay in their sessions. */
  close(): Promise<void>;
}

interface TeamsOptions {
  readonly log: (text: string) => void;
  /** Called with each one that is new; returns how to stop what it started. */
  readonly onNew: (team: PeerSession) => () => void;
  /** Opens what is private for a place. */
  readonly open: (team: PeerSession, message: Message) => Message;
  /** Called with the message that says that a team's session is concluded. */
  readonly onConcluded?: (team: PeerSession, message: Message) => void;
  /** Called when a read of a team's session would now differ, and when nobody listened for a while. */
  readonly onChanged?: (team: PeerSession, kind?: ChangedKind) => void;
}

export function createPeerSessions({ log, onNew, open, onConcluded, onChanged }: TeamsOptions): PeerSessions {
  /** The last joined at the end. */
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
      // Waits go on without it, and tell the model what the broker says.
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
      // Another process read its messages in the meantime.
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
      // Nobody is woken for it any more.
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

/** Drops the messages that are here: they come to whoever holds the place now. */
function giveUp(team: PeerSession): void {
  team.replaced = true;
  team.mail.restart(team.mail.place);
}

/** The database is another: what came from the one before is dropped, and the next wait says so. */
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
