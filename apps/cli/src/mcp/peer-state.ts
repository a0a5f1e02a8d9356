import type { DeclaredStatus } from "@merkle/wire";

/**
 * What this server knows about a peer that it acts as, apart from the messages, which are in the inbox.
 *
 * | Part          | Value       | Meaning                                             | Promise                                                        |
 * | ------------- | ----------- | --------------------------------------------------- | -------------------------------------------------------------- |
 * | `membership`  | `member`    | The peer takes part in the session.                 | The last joined member of a session has its subscription.      |
 * |               | `replaced`  | A newer connection reads the peer's messages.       | Nothing is delivered or acknowledged for it here (PEER-11).    |
 * |               | `left`      | The peer has left the session.                      | It wakes nothing, and its waits end.                           |
 * | `acked`       | undefined   | The peer's cursor is not known.                     | It is read from the broker before the next wait.               |
 * |               | a sequence  | The last cursor that the broker has acknowledged.   | It only goes forward, until the peer goes back or a restore.   |
 * | `epoch`       | undefined   | The history that the sequences belong to: unknown.  |                                                                |
 * |               | a uuid      | The database epoch of all sequences (WAIT-12).      | An acknowledgement of another epoch is ignored.                |
 * | `notices`     |             | A restore and a warning that the model has to see.  | Each is repeated until a reply with it has arrived (STDIO-12). |
 * | `document`    |             | The latest version here, and the one the model has. | The model sees each newer version once (WAIT-7).               |
 * | `status`      |             | What the peer declared, and what its hooks show.    | A status is sent only when it changes.                         |
 * | `conversation`|             | What the client's conversation has been shown.      | A new conversation is shown Merkle's explanation again.        |
 */
export interface PeerState {
  readonly membership: "member" | "replaced" | "left";
  readonly credential: string;
  readonly acked: number | undefined;
  readonly epoch: string | undefined;
  /** Whether the session is known to be concluded. */
  readonly isClosed: boolean;
  /** The number of consecutive empty waits, as counted by the broker. */
  readonly idlePolls: number;
  readonly notices: {
    /** Whether the database was restored and the model has not been notified yet. */
    readonly isRestored: boolean;
    /** A warning about the session's record that the model has not seen yet. */
    readonly warning: string | undefined;
  };
  /** The latest document versions that this server and the model know about. */
  readonly document: { readonly latest: number; readonly shown: number };
  readonly status: {
    /** The status that the peer declared, from the broker's last reply. */
    readonly declared: DeclaredStatus | undefined;
    /** The status derived from hooks, as last sent to the broker. */
    readonly observed: "working" | "idle" | undefined;
  };
  readonly conversation: {
    /** Whether a hook has already explained Merkle's messages. */
    readonly isIntroduced: boolean;
    /** Whether the agent, when it tried to conclude the session, was shown its unfinished tasks and claims. */
    readonly hasSeenOpenWork: boolean;
    /** The brief that the conversation received instead of many messages. */
    readonly brief: DeliveredBrief | undefined;
    /** The sequence of the last message that a hook announced as too long to deliver. */
    readonly announced: number;
  };
  /** The read cursor of each subagent, by agent id. */
  readonly subagents: ReadonlyMap<string, number>;
}

/**
 * A brief that a conversation received instead of many messages. The messages remain unread, but hooks do not
 * deliver them (BRIEF-5).
 */
export interface DeliveredBrief {
  readonly conversation: string;
  /**
   * The id of the prompt at which the brief was delivered. Interrupting that prompt removes the brief from
   * the conversation.
   */
  readonly prompt: string;
  /** The brief's first line, used to find the brief in the client's transcript. */
  readonly title: string;
  /** Messages to everyone up to this sequence are delivered only if the model asks for messages. */
  readonly setAside: number;
}

export type PeerEvent =
  /** The peer joined again, with the cursor to go back to if it asked for a replay. */
  | { readonly type: "rejoined"; readonly credential: string; readonly replayFrom?: number | undefined }
  | { readonly type: "credentialChanged"; readonly credential: string }
  /** A newer connection has taken over the peer. */
  | { readonly type: "replaced" }
  /** This server takes over the peer from the newer connection. */
  | { readonly type: "resumed" }
  | { readonly type: "left" }
  /** The database was restored, so that sequences and versions refer to something else. */
  | { readonly type: "restored" }
  /** The broker returned the peer's cursor. */
  | { readonly type: "cursorRead"; readonly cursor: number }
  /** The broker acknowledged a cursor of this epoch. */
  | { readonly type: "acknowledged"; readonly cursor: number; readonly epoch: string | undefined }
  /** The broker answered a wait. */
  | {
      readonly type: "waitAnswered";
      readonly epoch: string;
      readonly isEmpty: boolean;
      readonly idlePolls: number | undefined;
      readonly isClosed: boolean;
    }
  /** Pushed messages are returned, and the broker's count of empty waits is reset with them. */
  | { readonly type: "messagesReturned" }
  /** The broker named its epoch. */
  | { readonly type: "connected"; readonly epoch: string }
  | { readonly type: "concluded" }
  | { readonly type: "documentChanged"; readonly version: number }
  /** The model has read or written a version of the document. */
  | { readonly type: "documentShown"; readonly version: number }
  | { readonly type: "warned"; readonly warning: string }
  /** A reply with these notices reached the model. */
  | { readonly type: "noticesShown"; readonly notices: PeerState["notices"] }
  | { readonly type: "statusDeclared"; readonly status: DeclaredStatus | undefined }
  | { readonly type: "statusObserved"; readonly status: "working" | "idle" | undefined }
  /** The client began another conversation, which knows nothing of the earlier one. */
  | { readonly type: "conversationStarted" }
  | { readonly type: "introduced" }
  | { readonly type: "openWorkShown" }
  | { readonly type: "briefChanged"; readonly brief: DeliveredBrief | undefined }
  | { readonly type: "announced"; readonly upTo: number }
  | { readonly type: "subagentRead"; readonly agent: string; readonly cursor: number };

/** What happens to the peer's inbox after an event. */
export type InboxEffect =
  /** Drops the messages and continues after a cursor, or after the inbox's own cursor. */
  | { readonly do: "restart"; readonly after: number | "own" }
  /** Drops the messages and every sequence. */
  | { readonly do: "forget" };

export interface PeerStep {
  readonly state: PeerState;
  readonly effect: InboxEffect | null;
}

export interface InitialPeerState {
  readonly credential: string;
  readonly cursor: number | undefined;
  readonly epoch: string | undefined;
  readonly documentVersion: number;
}

export function createPeerState({ credential, cursor, epoch, documentVersion }: InitialPeerState): PeerState {
  return {
    membership: "member",
    credential,
    acked: cursor,
    epoch,
    isClosed: false,
    idlePolls: 0,
    notices: { isRestored: false, warning: undefined },
    document: { latest: documentVersion, shown: documentVersion },
    status: { declared: undefined, observed: undefined },
    conversation: { isIntroduced: false, hasSeenOpenWork: false, brief: undefined, announced: 0 },
    subagents: new Map(),
  };
}

/** Returns the state after an event, and what happens to the inbox. */
export function advancePeer(state: PeerState, event: PeerEvent): PeerStep {
  const { notices, document, conversation } = state;
  switch (event.type) {
    case "rejoined": {
      const { credential, replayFrom } = event;
      const rejoined = toStep({ ...state, membership: rejoin(state.membership), credential });
      if (replayFrom === undefined) return rejoined;
      return toStep({ ...rejoined.state, acked: replayFrom }, { do: "restart", after: replayFrom });
    }
    case "credentialChanged":
      return toStep({ ...state, credential: event.credential });
    case "replaced":
      if (state.membership === "left") return toStep(state);
      // The newer connection delivers the pending messages.
      return toStep({ ...state, membership: "replaced" }, { do: "restart", after: "own" });
    case "resumed":
      return toStep(state.membership === "replaced" ? { ...state, membership: "member" } : state);
    case "left":
      return toStep({ ...state, membership: "left" }, { do: "restart", after: "own" });
    case "restored":
      return toStep(restore(state), { do: "forget" });
    case "cursorRead":
      if (state.acked !== undefined) return toStep(state);
      return toStep({ ...state, acked: event.cursor }, { do: "restart", after: event.cursor });
    case "acknowledged":
      // After a restore the epoch may be unknown as well, but the cursor belongs to the earlier history.
      if (event.epoch !== state.epoch || state.acked === undefined) return toStep(state);
      return toStep({ ...state, acked: Math.max(state.acked, event.cursor) });
    case "waitAnswered": {
      const idlePolls = event.isEmpty ? (event.idlePolls ?? state.idlePolls) : 0;
      return toStep({ ...state, epoch: event.epoch, idlePolls, isClosed: state.isClosed || event.isClosed });
    }
    case "messagesReturned":
      return toStep({ ...state, idlePolls: 0 });
    case "connected":
      return toStep({ ...state, epoch: state.epoch ?? event.epoch });
    case "concluded":
      return toStep({ ...state, isClosed: true });
    case "documentChanged":
      return toStep({
        ...state,
        document: { ...document, latest: Math.max(document.latest, event.version) },
      });
    case "documentShown":
      return toStep({ ...state, document: { ...document, shown: Math.max(document.shown, event.version) } });
    case "warned":
      return toStep({ ...state, notices: { ...notices, warning: event.warning } });
    case "noticesShown":
      return toStep({ ...state, notices: removeShown(notices, event.notices) });
    case "statusDeclared":
      return toStep({ ...state, status: { ...state.status, declared: event.status } });
    case "statusObserved":
      return toStep({ ...state, status: { ...state.status, observed: event.status } });
    case "conversationStarted":
      return toStep({
        ...state,
        conversation: { ...conversation, isIntroduced: false, hasSeenOpenWork: false },
      });
    case "introduced":
      return toStep({ ...state, conversation: { ...conversation, isIntroduced: true } });
    case "openWorkShown":
      return toStep({ ...state, conversation: { ...conversation, hasSeenOpenWork: true } });
    case "briefChanged":
      return toStep({ ...state, conversation: { ...conversation, brief: event.brief } });
    case "announced": {
      const announced = Math.max(conversation.announced, event.upTo);
      return toStep({ ...state, conversation: { ...conversation, announced } });
    }
    case "subagentRead":
      return toStep({ ...state, subagents: new Map(state.subagents).set(event.agent, event.cursor) });
  }
}

function toStep(state: PeerState, effect: InboxEffect | null = null): PeerStep {
  return { state, effect };
}

/** Joining again ends a departure. Another connection's hold ends only when this server resumes the peer. */
function rejoin(membership: PeerState["membership"]): PeerState["membership"] {
  return membership === "left" ? "member" : membership;
}

/** Keeps what does not depend on the history: the membership, the status, and what the conversation explains. */
function restore(state: PeerState): PeerState {
  return {
    ...state,
    acked: undefined,
    epoch: undefined,
    isClosed: false,
    notices: { ...state.notices, isRestored: true },
    document: { latest: 0, shown: 0 },
    conversation: { ...state.conversation, brief: undefined, announced: 0 },
    subagents: new Map(),
  };
}

/** Keeps a warning that replaced the shown one in the meantime. */
function removeShown(notices: PeerState["notices"], shown: PeerState["notices"]): PeerState["notices"] {
  return {
    isRestored: notices.isRestored && !shown.isRestored,
    warning: notices.warning === shown.warning ? undefined : notices.warning,
  };
}
