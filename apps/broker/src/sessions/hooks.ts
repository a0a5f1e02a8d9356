import type { MessageFile, OutputOf, Peer, Session } from "@merkle/wire";
import type { CoreServices } from "../core/services.js";
import type { Write } from "../core/write.js";

/** The hooks with which features extend sessions, apart from roster and feed. */
export interface SessionHooks {
  /** Called in the transaction that creates a session. Each hook returns fields to add to the reply. */
  readonly onCreateSession: readonly CreateSessionHook[];
  /** Readers of the session facts that features add to the output of `get_session`. */
  readonly sessionFacts: SessionFactReaders;
  /** Readers of the peer facts that features add to the output of `list_peers`. */
  readonly peerFacts: PeerFactReaders;
  /** Called before a message that names files is posted. */
  readonly onAttach: readonly AttachHook[];
}

/**
 * Notes that a message, which is about to be posted, names these files. A retry of the post calls it again.
 *
 * @throws bad_request if the author may not attach one of them
 */
export type AttachHook = (
  services: Pick<CoreServices, "database">,
  message: {
    readonly sessionId: string;
    readonly messageId: string;
    /** The person who posts, or the team if it is not a person's. */
    readonly ownerId: string;
    readonly files: readonly MessageFile[];
  },
) => Promise<void>;

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

/** A concluded session that another session continues. */
export interface Predecessor {
  /** The session's title and slug, as one string. */
  readonly name: string;
  readonly conclusion: string;
  /** Lines that name the earlier session and explain how to check its conclusion. */
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

/** The facts about a session that features provide. */
export type FeatureFacts = Omit<
  OutputOf<"get_session">,
  keyof Session | "settings" | "last_change" | "agent_messages" | "origin"
>;

/** The facts about a peer that features provide. */
export type FeaturePeerFacts = Pick<Peer, Extract<keyof Peer, "task">>;

export type PeerFactReaders = {
  readonly [Name in keyof FeaturePeerFacts]: (
    services: Pick<CoreServices, "database">,
    sessionId: string,
  ) => Promise<(peerId: string) => FeaturePeerFacts[Name]>;
};

/**
 * Reads the facts about all peers in a session. Returns a function that looks up the facts about one
 * peer.
 */
export async function readPeerFacts(
  services: Pick<CoreServices, "database"> & { readonly hooks: Pick<SessionHooks, "peerFacts"> },
  sessionId: string,
): Promise<(peerId: string) => FeaturePeerFacts> {
  const facts = await Promise.all(
    Object.entries(services.hooks.peerFacts).map(
      async ([name, read]) => [name, await read(services, sessionId)] as const,
    ),
  );
  // Each reader returns the fact that it is named after.
  return (peerId) =>
    Object.fromEntries(facts.map(([name, factOf]) => [name, factOf(peerId)])) as FeaturePeerFacts;
}

/** Reads all facts that features provide about a session. */
export async function readFeatureFacts(
  services: Pick<CoreServices, "database"> & { readonly hooks: Pick<SessionHooks, "sessionFacts"> },
  sessionId: string,
): Promise<FeatureFacts> {
  const facts = Object.entries(services.hooks.sessionFacts).map(
    async ([name, read]) => [name, await read(services, sessionId)] as const,
  );
  // Each reader returns the fact that it is named after.
  return Object.fromEntries(await Promise.all(facts)) as unknown as FeatureFacts;
}
