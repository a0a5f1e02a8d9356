import type { MerkleClient, Subscription } from "@merkle/wire/client";
import { createInbox, type Inbox } from "./inbox.js";

/** A team that this server acts as. */
export interface Team {
  readonly teamId: string;
  readonly name: string;
  readonly sessionId: string;
  readonly slug: string;
  readonly inbox: Inbox;
  credential: string;
  /** The place that the inbox starts from is known; otherwise the broker is to be asked first. */
  placed: boolean;
  /** The epoch that the inbox's numbers belong to; undefined until it is known. */
  epoch: string | undefined;
  /** What the broker was told last of what the model has got. */
  acked: number;
  /** How many waits in a row were empty, as the broker counts. */
  idlePolls: number;
  /** The database was restored, and the model has not been told yet. */
  resynced: boolean;
  /** The highest version of the document that was heard of, and that the model knows. */
  readonly document: { heard: number; told: number };
  /** Something said that the session is concluded. */
  closed: boolean;
  left: boolean;
  /** Waits that block, the oldest first; each is answered by its function as at its timeout. */
  readonly waits: Set<() => void>;
  /** Ends the exclusive hold on the credential. */
  release(): Promise<void>;
}

export interface NewTeam {
  readonly teamId: string;
  readonly name: string;
  readonly sessionId: string;
  readonly slug: string;
  readonly credential: string;
  /** Where reading starts; left out when only the broker knows. */
  readonly place?: number;
  /** Whether a team that is known already goes back to that place. */
  readonly replay?: boolean;
  readonly epoch?: string;
  readonly documentVersion?: number;
  readonly release?: () => Promise<void>;
}

/**
 * The teams that this server acts as, the one joined last being meant where none is named. The last one of each session has
 * a subscription that brings its mail; for any other of that session only waits do.
 */
export interface Teams {
  /** Takes up a team, which becomes the last one; one that is known is taken up again with what is new. */
  add(team: NewTeam): Team;
  find(teamId: string): Team | undefined;
  /** The last one that has not left, of that session (id or slug) or of any. */
  findLast(session?: string): Team | undefined;
  /** The last one of that session and name, also one that has left. */
  findNamed(session: string, name: string): Team | undefined;
  /** The last one that has left, of that session or of any. */
  findLeft(session?: string): Team | undefined;
  /** Opens the subscriptions anew, with a client that has none, or after a credential was replaced. */
  subscribe(client?: MerkleClient): void;
  leave(team: Team): Promise<void>;
  /** Ends all subscriptions and releases all credentials; the teams stay in their sessions. */
  close(): Promise<void>;
}

export function createTeams(log: (text: string) => void): Teams {
  /** The last joined at the end. */
  let teams: Team[] = [];
  let client: MerkleClient | undefined;
  const subscriptions = new Map<string, { readonly team: Team; readonly subscription: Subscription }>();

  function findLast(session?: string): Team | undefined {
    return teams.findLast((team) => !team.left && (session === undefined || isSession(team, session)));
  }

  function unsubscribe(sessionId: string): void {
    subscriptions.get(sessionId)?.subscription.close();
    subscriptions.delete(sessionId);
  }

  function subscribe(sessionId: string): void {
    unsubscribe(sessionId);
    const team = findLast(sessionId);
    if (!client || !team) return;
    const subscription = client.inbox({
      session: sessionId,
      teamId: team.credential,
      onMessage: (message) => {
        if (message.event === "session_concluded") team.closed = true;
        team.inbox.push(message);
      },
      onChanged: ({ kind, version }) => {
        if (kind === "document") team.document.heard = Math.max(team.document.heard, version);
      },
      onResync: () => {
        forgetNumbers(team);
        return undefined;
      },
      // Waits go on without it, and tell the model what the broker says.
      onError: (error) => {
        log(`no mail is pushed for ${team.name} in ${team.slug}: ${error.message}`);
        if (subscriptions.get(sessionId)?.team === team) subscriptions.delete(sessionId);
      },
    });
    subscriptions.set(sessionId, { team, subscription });
  }

  return {
    add(given) {
      const known = teams.find((team) => team.teamId === given.teamId);
      const team = known ?? toTeam(given);
      if (known) takeUpAgain(known, given);
      teams = [...teams.filter((other) => other !== team), team];
      subscribe(team.sessionId);
      return team;
    },
    find: (teamId) => teams.find((team) => team.teamId === teamId.toLowerCase()),
    findLast,
    findNamed: (session, name) =>
      teams.findLast(
        (team) => isSession(team, session) && team.name.toLowerCase() === name.trim().toLowerCase(),
      ),
    findLeft: (session) =>
      teams.findLast((team) => team.left && (session === undefined || isSession(team, session))),
    subscribe(next = client) {
      if (next !== client) subscriptions.clear();
      client = next;
      for (const sessionId of new Set(teams.map((team) => team.sessionId))) subscribe(sessionId);
    },
    async leave(team) {
      team.left = true;
      subscribe(team.sessionId);
      for (const answer of team.waits) answer();
      await team.release();
    },
    async close() {
      for (const sessionId of [...subscriptions.keys()]) unsubscribe(sessionId);
      await Promise.all(teams.map((team) => team.release()));
    },
  };
}

/** The database is another: what came from the one before is dropped, and the next wait says so. */
export function forgetNumbers(team: Team): void {
  team.inbox.forget();
  team.placed = false;
  team.epoch = undefined;
  team.acked = 0;
  team.resynced = true;
  team.closed = false;
  Object.assign(team.document, { heard: 0, told: 0 });
}

function toTeam(given: NewTeam): Team {
  const { teamId, name, sessionId, slug, credential, place, epoch, documentVersion = 0 } = given;
  return {
    teamId,
    name,
    sessionId,
    slug,
    inbox: createInbox(place ?? 0),
    credential,
    placed: place !== undefined,
    epoch,
    acked: place ?? 0,
    idlePolls: 0,
    resynced: false,
    document: { heard: documentVersion, told: documentVersion },
    closed: false,
    left: false,
    waits: new Set(),
    release: given.release ?? (async () => undefined),
  };
}

function takeUpAgain(team: Team, given: NewTeam): void {
  team.left = false;
  team.credential = given.credential;
  if (given.replay && given.place !== undefined) {
    team.inbox.restart(given.place);
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

function isSession({ sessionId, slug }: Team, named: string): boolean {
  return sessionId === named.toLowerCase() || slug === named;
}
