import type { Message } from "@merkle/wire";
import type { HookEvent } from "../../clients/client.js";
import type { Transcript } from "../../clients/transcript.js";
import type { PeerSession } from "../peer-sessions.js";
import type { DeliveredBrief } from "../peer-state.js";
import { breaksThrough, isForEveryone } from "../wake-rules.js";

/** A hook run for the main agent. */
export interface MainHook {
  readonly event: HookEvent;
  readonly sessionId: string;
  readonly promptId: string;
}

/**
 * A brief to deliver at a hook, with the data that the peer stores once the client has received the brief.
 */
export interface Brief {
  readonly text: string;
  readonly given: DeliveredBrief;
}

export interface Briefs {
  /** Returns whether the client's transcript is needed to decide whether to deliver a brief. */
  needsTranscript(team: PeerSession, call: MainHook): boolean;
  /**
   * Returns the brief to deliver at a hook, or null. Waits at most a second, and only if the broker is
   * connected.
   */
  prepare(team: PeerSession, call: MainHook, transcript?: Transcript): Promise<Brief | null>;
}

/**
 * Returns the unread messages for hooks and nudges to deliver. Excludes messages that a brief has set aside.
 */
export function listDeliverableMail(
  { mail }: Pick<PeerSession, "mail">,
  brief: DeliveredBrief | undefined,
): Message[] {
  return mail.pending.filter((message) => !isSetAside(message, brief));
}

/**
 * Returns whether a brief sets the message aside. Messages that name the peer, come from humans or have
 * priority `now` are never set aside.
 */
export function isSetAside(message: Message, brief: DeliveredBrief | undefined): boolean {
  return message.sequence <= (brief?.setAside ?? 0) && isCommon(message);
}

export function isCommon(message: Message): boolean {
  return isForEveryone(message) && !breaksThrough(message);
}
