import type { DeclaredStatus } from "@merkle/wire";

/**
 * What this server knows about a peer on whose behalf it acts. The peer's messages are in the inbox.
 *
 * | Part          | Value       | Meaning                                             | Promise                                                        |
 * | ------------- | ----------- | --------------------------------------------------- | -------------------------------------------------------------- |
 * | `membership`  | `member`    | The peer takes part in the session.                 | The last joined member of a session has its subscription.      |
 * |               | `replaced`  | A newer connection than this server's has taken the | This server delivers and acknowledges nothing for the peer     |
 * |               |             | peer over, and reads its messages.                  | (PEER-11).                                                     |
 * |               | `left`      | The peer has left the session.                      | Its messages no longer wake the model, and its waits end.      |
 * | `acked`       | undefined   | The peer's cursor is not known.                     | The caller reads it from the broker before the next wait.      |
 * |               | a sequence  | The last cursor that the broker has acknowledged.   | It goes back only if the peer asks for a replay, and becomes   |
 * |               |             |                                                     | unknown after a restore.                                       |
 * | `epoch`       | undefined   | It is not known which epoch the sequences are from. | The next connection or answered wait sets it.                  |
 * |               | a uuid      | The database epoch of all sequences here (WAIT-12). | An acknowledgement of another epoch is ignored.                |
 * | `notices`     |             | Whether a notice of a restore is due, and the       | Each comes with every reply until one has reached the model    |
 * |               |             | latest warning that it has not seen.                | (STDIO-12). A newer warning replaces an older one.             |
 * | `document`    |             | The latest version that this server knows of, and   | The model is shown the latest version once (WAIT-7).           |
 * |               |             | the latest that the model has been shown.           |                                                                |
 * | `status`      |             | The status that the peer declared, and the status   | The observed status is sent only when it changes.              |
 * |               |             | derived from its hooks.                             |                                                                |
 * | `conversation`|             | What the client's conversation has been shown.      | In a new conversation, a hook explains Merkle's messages again.|
 */
export interface PeerState {
  readonly membership: "member" | "replaced" | "left";
  readonly credential: string;
  readonly acked: number | undefined;
  readonly epoch: string | undefined;
  /** Whether the session is known to be concluded. */
  readonly isClosed: boolean;
  /** The number of consecutive empty waits by the broker's count. 0 once messages have been returned. */
  readonly idlePolls: number;
  readonly notices: {
    /** Whether the database was restored and the model has not been notified yet. */
    readonly isRestored: boolean;
    /** A warning about the session's record that the model has not seen yet. */
    readonly warning: string | undefined;
  };
  /** The latest version that this server knows of, and the latest that the model has been shown. */
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
    /** Whether the agent was shown its own unfinished tasks and claims when it tried to conclude the session. */
    readonly hasSeenOpenWork: boolean;
    /** The brief that the conversation received instead of many messages. */
    readonly brief: DeliveredBrief | undefined;
    /** The sequence of the last message that a hook announced as too long to deliver. */
    readonly announced: number;
  };
  /** The cursor up to which each subagent has read, by agent id. */
  readonly subagents: ReadonlyMap<string, number>;
}

/**
 * A brief that a conversation received because many messages were unread. They stay unread, hooks do not deliver
 * them, and the model gets them when it asks for messages (BRIEF-5).
 */
export interface DeliveredBrief {
  /** The id of the conversation that received the brief. In another conversation the brief has no effect. */
  readonly conversation: string;
  /**
   * The id of the prompt at which the brief was delivered. If the user interrupts that prompt, the client drops the
   * brief from the conversation.
   */
  readonly prompt: string;
  /** The brief's first line, used to find the brief in the client's transcript. */
  readonly title: string;
  /** Up to this sequence, messages to everyone are delivered only if the model asks for messages. */
  readonly setAside: number;
}

export type PeerEvent =
  /** The peer joined again. `replayFrom` is the cursor to go back to, if it asked for a replay. */
  | { readonly type: "rejoined"; readonly credential: string; readonly replayFrom?: number | undefined }
  | { readonly type: "credentialChanged"; readonly credential: string }
  /** A newer connection has taken over the peer. */
  | { readonly type: "replaced" }
  /** This server takes the peer back from the connection that replaced it. */
  | { readonly type: "resumed" }
  | { readonly type: "left" }
  /** The database was restored: the known sequences and versions belong to the earlier history. */
  | { readonly type: "restored" }
  /** The broker returned the peer's cursor. */
  | { readonly type: "cursorRead"; readonly cursor: number }
  /** The broker acknowledged a cursor. `epoch` is the epoch that was known when the cursor was sent. */
  | { readonly type: "acknowledged"; readonly cursor: number; readonly epoch: string | undefined }
  /** The broker answered a wait. */
  | {
      readonly type: "waitAnswered";
      readonly epoch: string;
      readonly isEmpty: boolean;
      readonly idlePolls: number | undefined;
      readonly isClosed: boolean;
    }
  /** Messages that the broker pushed are returned to the model, which ends the run of empty waits. */
  | { readonly type: "messagesReturned" }
  /** A connection was made, and the broker named its epoch, which is used if none is known. */
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

/** What the caller must do with the peer's inbox after an event. */
export type InboxEffect =
  /** Drops the messages and continues after the given cursor or, with `own`, after the cursor of the inbox. */
  | { readonly do: "restart"; readonly after: number | "own" }
  /** Drops the messages and the cursors, which belong to the earlier history. */
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
      // The newer connection delivers the pending messages, so they are dropped here.
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
      // After a restore both epochs may be unknown, and thus equal. The state's cursor is then unknown too.
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

/** A peer that has left is a member once it joins again. A replaced peer stays replaced until this server resumes it. */
function rejoin(membership: PeerState["membership"]): PeerState["membership"] {
  return membership === "left" ? "member" : membership;
}

/** Drops what belongs to the earlier history: the cursors, the epoch, the conclusion, the document versions and the brief. */
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

/** Removes the notices that the model has seen. A warning that came after that reply was sent stays. */
function removeShown(notices: PeerState["notices"], shown: PeerState["notices"]): PeerState["notices"] {
  return {
    isRestored: notices.isRestored && !shown.isRestored,
    warning: notices.warning === shown.warning ? undefined : notices.warning,
  };
}
