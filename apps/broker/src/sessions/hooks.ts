import type { OutputOf, Peer, Session } from "@merkle/wire";
import type { CoreServices } from "../core/services.js";
import type { Write } from "../core/write.js";

/** What features add to a session, beside its roster and its feed. */
export interface SessionHooks {
  /** Each is called in the transaction that creates a session, and returns what it adds to the reply. */
  readonly onCreateSession: readonly CreateSessionHook[];
  /** Each reads a fact that `get_session` returns. */
  readonly sessionFacts: SessionFactReaders;
  /** Each reads a fact that `list_peers` returns. */
  readonly peerFacts: PeerFactReaders;
}

export type CreateSessionHook = (
  services: Pick<CoreServices, "database" | "mesh">,
  write: Pick<Write, "tx" | "afterCommit">,
  created: CreatedSession,
) => Promise<CreateSessionAdditions>;

export interface CreatedSession {
  readonly sessionId: string;
  /** The convener's name. */
  readonly by: string;
  readonly at: Date;
  readonly predecessor: Predecessor | null;
}

/** A concluded session that another one continues. */
export interface Predecessor {
  /** Its title and its slug. */
  readonly name: string;
  readonly conclusion: string;
  /** The lines that say how the conclusion can be checked, and where the whole session is. */
  readonly source: string;
}

type CreateSessionAdditions = Omit<
  OutputOf<"create_session">,
  "session_id" | "slug" | "team_id" | "cursor" | "title" | "description"
>;

export type SessionFactReaders = {
  readonly [Name in keyof FeatureFacts]: (
    services: Pick<CoreServices, "database">,
    sessionId: string,
  ) => Promise<FeatureFacts[Name]>;
};

/** The facts of a session that features know. */
export type FeatureFacts = Omit<
  OutputOf<"get_session">,
  keyof Session | "settings" | "last_change" | "agent_messages" | "origin"
>;

/** The facts of a peer that features know. */
export type PeerFacts = Pick<Peer, Extract<keyof Peer, "task">>;

export type PeerFactReaders = {
  readonly [Name in keyof PeerFacts]: (
    services: Pick<CoreServices, "database">,
    sessionId: string,
  ) => Promise<(peerId: string) => PeerFacts[Name]>;
};

/** Reads the facts of a session's peers at once; the function that is returned gives those of one. */
export async function readPeerFacts(
  services: Pick<CoreServices, "database"> & { readonly hooks: Pick<SessionHooks, "peerFacts"> },
  sessionId: string,
): Promise<(peerId: string) => PeerFacts> {
  const facts = await Promise.all(
    Object.entries(services.hooks.peerFacts).map(
      async ([name, read]) => [name, await read(services, sessionId)] as const,
    ),
  );
  // Each reader returns the fact of its name.
  return (peerId) => Object.fromEntries(facts.map(([name, factOf]) => [name, factOf(peerId)])) as PeerFacts;
}

/** Reads all of them at once. */
export async function readFeatureFacts(
  services: Pick<CoreServices, "database"> & { readonly hooks: Pick<SessionHooks, "sessionFacts"> },
  sessionId: string,
): Promise<FeatureFacts> {
  const facts = Object.entries(services.hooks.sessionFacts).map(
    async ([name, read]) => [name, await read(services, sessionId)] as const,
  );
  // Each reader returns the fact of its name.
  return Object.fromEntries(await Promise.all(facts)) as unknown as FeatureFacts;
}
