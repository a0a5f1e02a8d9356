import { findRedactedMessage, type Message, withoutText } from "@merkle/wire";

/**
 * A peer's messages on their way to its model, and the cursors. A message has an entry from its arrival until it is
 * finished: the model has it for good, or it was acknowledged by other means.
 *
 * | Entry            | Meaning                                            | Promise                                            |
 * | ---------------- | -------------------------------------------------- | -------------------------------------------------- |
 * | `queued`         | The message waits to be offered, or offered again. | Offers take messages in order (STDIO-5). If the    |
 * |                  |                                                    | model may have seen a message, it is marked as     |
 * |                  |                                                    | repeated (WAKE-4).                                 |
 * | `offered`        | The message is in a tool's result or a hook's      | It is offered again only if that offer was lost    |
 * |                  | output, which is being written or was written to   | (STDIO-6). Nothing proves that the model has it    |
 * |                  | the client.                                        | before it was written.                             |
 * | `received`       | There is evidence that the model has the message,  | It is not offered again. It is not acknowledged    |
 * |                  | but the client's record does not contain it yet.   | either, because a client that is killed now loses  |
 * |                  |                                                    | it (WAKE-4).                                       |
 *
 * | Cursor           | Covers                       | Moved by                            | Promise                         |
 * | ---------------- | ---------------------------- | ----------------------------------- | ------------------------------- |
 * | `pushed`         | what the subscription has    | `pushed`, `reset`                   | While it is ahead of `known`,   |
 * |                  | pushed                       |                                     | pushes are not taken: `filled`  |
 * |                  |                              |                                     | closes the gap first (STDIO-5). |
 * | `known`          | messages with an entry,      | `pushed`, `filled`, `passed`,       | A message that it covers is not |
 * |                  | finished ones, and what is   | `restarted`, `reset`                | taken again (STDIO-5).          |
 * |                  | not for the peer             |                                     |                                 |
 * | `finished`       | everything up to the last    | `recorded`, `proved`, `passed`,     | It equals `known` if there are  |
 * |                  | finished message, except     | `conversationEnded`, `restarted`,   | no entries, so that what is not |
 * |                  | messages with an entry       | `reset`; with `known` if there are  | for the peer is acknowledged    |
 * |                  |                              | no entries                          | too (CURSOR-10).                |
 * | `ackCursor`      | `finished`, up to the first  | derived: {@link findAckCursor}      | The client's record contains    |
 * |                  | entry                        |                                     | every message that it covers    |
 * |                  |                              |                                     | (WAKE-4), unless there is no    |
 * |                  |                              |                                     | record or it was `passed`.      |
 * | `receivedCursor` | `finished` and `received`    | derived: {@link findReceivedCursor} | There is evidence that the      |
 * |                  | messages, up to the first    |                                     | model has every message that it |
 * |                  | other entry                  |                                     | covers (WAKE-4), unless it was  |
 * |                  |                              |                                     | `passed`.                       |
 *
 * Only `restarted` and `reset` move a cursor back.
 */
export interface InboxState {
  /** Ordered by sequence. */
  readonly entries: readonly InboxEntry[];
  readonly pushed: number;
  readonly known: number;
  readonly finished: number;
  /** How many offers were made. The last one has this number. */
  readonly offers: number;
  readonly settings: InboxSettings;
}

export type InboxEntry = QueuedEntry | OfferedEntry | ReceivedEntry;

export interface QueuedEntry {
  readonly is: "queued";
  readonly message: Message;
  readonly chars: number;
  /** Whether the model may have seen the message before. */
  readonly isRepeated: boolean;
}

export interface OfferedEntry extends Omit<QueuedEntry, "is"> {
  readonly is: "offered";
  /** The number of the offer. */
  readonly offer: number;
  readonly via: Via;
  /** Whether the offer has been written to the client in full. */
  readonly isWritten: boolean;
}

export interface ReceivedEntry {
  readonly is: "received";
  readonly message: Message;
}

export interface InboxSettings {
  /**
   * Whether the client keeps a record of the conversation that can be read. If not, evidence suffices to finish a
   * message.
   */
  readonly isRecorded: boolean;
  /** The number of queued messages beyond which none is taken. Messages that are requeued can exceed it. */
  readonly messagesMax: number;
  /** The total length of queued messages beyond which none is taken. */
  readonly charsMax: number;
}

/**
 * How an offer reaches the model: in the result of the model's own tool call, or in the output of a hook at a
 * prompt.
 */
export type Via = { readonly by: "call" } | { readonly by: "hook"; readonly prompt: string };

/**
 * Evidence of whether the model received an offer.
 *
 * It concerns only offers that were written in full. A tool call proves that the model received all of them, because
 * the turn contains them. A hook proves those made by tool calls and those made at its own prompt. Offers of other
 * prompts' hooks count as lost, because interrupting a prompt discards the text that its hook added. The model may
 * still have seen them, so they are marked when they are offered again.
 */
export type Evidence = { readonly by: "call" } | { readonly by: "hook"; readonly prompt: string };

/** A message that arrives. */
export interface Arrival {
  readonly message: Message;
  /**
   * Whether an earlier server's offer is in the client's record (`held`), may have been received (`perhaps`), or
   * cannot have been received or was never made (`lost`).
   */
  readonly earlier: "held" | "perhaps" | "lost";
}

export type InboxEvent =
  /** The subscription pushed a message. */
  | { readonly type: "pushed"; readonly arrival: Arrival }
  /** A wait returned all messages after `after` up to `upTo`. */
  | {
      readonly type: "filled";
      readonly after: number;
      readonly arrivals: readonly Arrival[];
      readonly upTo: number;
    }
  /** Queued messages are being written to the client. */
  | { readonly type: "offered"; readonly sequences: readonly number[]; readonly via: Via }
  /** An offer was written to the client, or will never be. */
  | { readonly type: "settled"; readonly offer: number; readonly isWritten: boolean }
  | { readonly type: "proved"; readonly evidence: Evidence }
  /** The client's record contains these received messages. */
  | { readonly type: "recorded"; readonly sequences: readonly number[] }
  /** The conversation has ended together with its record, and with the offers whose arrival was not proved. */
  | { readonly type: "conversationEnded" }
  /** All messages up to a cursor were acknowledged by other means. */
  | { readonly type: "passed"; readonly cursor: number }
  /** The inbox continues after a cursor, without the messages that it contained. */
  | { readonly type: "restarted"; readonly cursor: number }
  /** The database was restored, so that the sequences refer to other messages. */
  | { readonly type: "reset" };

export interface InboxStep {
  readonly state: InboxState;
  /** Null if no listener needs to act: for an offer, and if the event was ignored or the message had no room. */
  readonly effect: "notify" | null;
}

export function createInboxState(cursor: number, settings: InboxSettings): InboxState {
  return { entries: [], pushed: 0, known: cursor, finished: cursor, offers: 0, settings };
}

/** Returns the state after an event, and whether listeners must be called. */
export function advanceInbox(state: InboxState, event: InboxEvent): InboxStep {
  switch (event.type) {
    case "pushed":
      return push(removeText(state, event.arrival), event.arrival);
    case "filled":
      return fill(event.arrivals.reduce(removeText, state), event);
    case "offered":
      return { state: offer(state, event), effect: null };
    case "settled":
      return settle(state, event);
    case "proved":
      return notify(prove(state, event.evidence));
    case "recorded":
      return notify(finishReceived(state, ({ message }) => event.sequences.includes(message.sequence)));
    case "conversationEnded":
      return notify(finishReceived(mapOffered(state, withdraw)));
    case "passed":
      return notify(pass(state, event.cursor));
    case "restarted":
      return notify(restart(state, event.cursor));
    case "reset":
      return notify(restart({ ...state, pushed: 0 }, 0));
  }
}

/**
 * Returns the cursor to acknowledge. What is not for the peer is acknowledged with the next message, or once there are
 * no entries.
 */
export function findAckCursor({ entries, finished }: InboxState): number {
  return Math.min(finished, findSequenceBefore(entries[0]));
}

/** Returns the cursor up to which there is evidence that the model has every message. */
export function findReceivedCursor({ entries, finished }: InboxState): number {
  const lastReceived = entries.findLast(isReceived)?.message.sequence ?? 0;
  const missing = entries.find((entry) => !isReceived(entry));
  return Math.min(Math.max(finished, lastReceived), findSequenceBefore(missing));
}

function findSequenceBefore(entry: InboxEntry | undefined): number {
  return entry ? entry.message.sequence - 1 : Number.POSITIVE_INFINITY;
}

export function isQueued(entry: InboxEntry): entry is QueuedEntry {
  return entry.is === "queued";
}

export function isReceived(entry: InboxEntry): entry is ReceivedEntry {
  return entry.is === "received";
}

function notify(state: InboxState): InboxStep {
  return { state, effect: "notify" };
}

/**
 * Removes the text of a message if the arriving message is the event of its redaction. The redacted message is offered,
 * or offered again, only without its text (REDACT-5).
 */
function removeText(state: InboxState, { message: event }: Arrival): InboxState {
  const redacted = findRedactedMessage(event);
  if (!redacted) return state;
  const entries = state.entries.map((entry) => {
    if (isReceived(entry) || entry.message.sequence !== redacted.sequence) return entry;
    const message = withoutText(entry.message, redacted.redaction);
    return { ...entry, message, chars: JSON.stringify(message).length };
  });
  return { ...state, entries };
}

function push(state: InboxState, arrival: Arrival): InboxStep {
  const next = { ...state, pushed: Math.max(state.pushed, arrival.message.sequence) };
  // An earlier push had no room. The next wait starts after `known` and returns both messages.
  if (state.pushed > state.known) return { state: next, effect: null };
  const added = add(next, arrival);
  return added ? notify(added) : { state: next, effect: null };
}

function fill(
  state: InboxState,
  { after, arrivals, upTo }: Extract<InboxEvent, { type: "filled" }>,
): InboxStep {
  // The inbox was restarted or reset during the wait. Taking this page would leave a gap.
  if (after > state.known) return { state, effect: null };
  let filled = state;
  for (const arrival of arrivals) {
    const added = add(filled, arrival);
    if (!added) return notify(filled);
    filled = added;
  }
  return notify(moveKnown(filled, upTo));
}

/** Adds a message that is not known yet. Returns null if there is no room for it. */
function add(state: InboxState, { message, earlier }: Arrival): InboxState | null {
  if (message.sequence <= state.known) return state;
  if (earlier === "held") return moveKnown(state, message.sequence);
  const chars = JSON.stringify(message).length;
  if (!hasRoom(state, chars)) return null;
  const entry: QueuedEntry = { is: "queued", message, chars, isRepeated: earlier === "perhaps" };
  return { ...state, entries: [...state.entries, entry], known: message.sequence };
}

/** A message fits, however long it is, if none is queued. */
function hasRoom({ entries, settings }: InboxState, chars: number): boolean {
  const queued = entries.filter(isQueued);
  const total = queued.reduce((sum, entry) => sum + entry.chars, chars);
  return queued.length < settings.messagesMax && (queued.length === 0 || total <= settings.charsMax);
}

function moveKnown(state: InboxState, upTo: number): InboxState {
  return moveFinished({ ...state, known: Math.max(state.known, upTo) }, 0);
}

/** Moves `finished` to a finished message or, if there are no entries, over everything known. */
function moveFinished(state: InboxState, upTo: number): InboxState {
  const all = state.entries.length === 0 ? state.known : 0;
  return { ...state, finished: Math.max(state.finished, upTo, all) };
}

function offer(state: InboxState, { sequences, via }: Extract<InboxEvent, { type: "offered" }>): InboxState {
  const offers = state.offers + 1;
  const entries = state.entries.map((entry): InboxEntry => {
    if (!isQueued(entry) || !sequences.includes(entry.message.sequence)) return entry;
    return { ...entry, is: "offered", offer: offers, via, isWritten: false };
  });
  return { ...state, entries, offers };
}

function settle(
  state: InboxState,
  { offer, isWritten }: Extract<InboxEvent, { type: "settled" }>,
): InboxStep {
  const belongs = (entry: InboxEntry) => entry.is === "offered" && entry.offer === offer;
  // The offer may have been withdrawn while it was being written.
  if (!state.entries.some(belongs)) return { state, effect: null };
  return notify(
    mapOffered(state, (entry) => {
      if (!belongs(entry)) return entry;
      return isWritten ? { ...entry, isWritten: true } : requeue(entry);
    }),
  );
}

function prove(state: InboxState, evidence: Evidence): InboxState {
  const proved = mapOffered(state, (entry) => {
    if (isOtherPrompt(entry.via, evidence)) return withdraw(entry);
    // What is still being written to the client cannot have been received yet.
    return entry.isWritten ? { is: "received", message: entry.message } : entry;
  });
  return state.settings.isRecorded ? proved : finishReceived(proved);
}

function isOtherPrompt(via: Via, evidence: Evidence): boolean {
  return via.by === "hook" && evidence.by === "hook" && via.prompt !== evidence.prompt;
}

/** Puts a message of a lost offer back into the queue. The model may have seen it if it was written. */
function withdraw(entry: OfferedEntry): QueuedEntry {
  return { ...requeue(entry), isRepeated: entry.isRepeated || entry.isWritten };
}

function requeue({ message, chars, isRepeated }: OfferedEntry): QueuedEntry {
  return { is: "queued", message, chars, isRepeated };
}

function mapOffered(state: InboxState, change: (entry: OfferedEntry) => InboxEntry): InboxState {
  return {
    ...state,
    entries: state.entries.map((entry) => (entry.is === "offered" ? change(entry) : entry)),
  };
}

/** Removes received messages, which are now finished. */
function finishReceived(
  state: InboxState,
  isFinished: (entry: ReceivedEntry) => boolean = () => true,
): InboxState {
  const isDone = (entry: InboxEntry) => isReceived(entry) && isFinished(entry);
  const entries = state.entries.filter((entry) => !isDone(entry));
  return moveFinished({ ...state, entries }, state.entries.findLast(isDone)?.message.sequence ?? 0);
}

function pass(state: InboxState, cursor: number): InboxState {
  const entries = state.entries.filter(({ message }) => message.sequence > cursor);
  return moveFinished({ ...state, entries, known: Math.max(state.known, cursor) }, cursor);
}

function restart(state: InboxState, cursor: number): InboxState {
  return { ...state, entries: [], known: cursor, finished: cursor };
}
