import type { Message } from "@merkle/wire";
import type { HookEvent } from "../../clients/client.js";
import type { Transcript } from "../../clients/transcript.js";
import type { GivenBrief, PeerSession } from "../peer-sessions.js";
import { breaksThrough, isForEveryone } from "../what-wakes.js";

/** A hook that the main agent runs. */
export interface MainHook {
  readonly event: HookEvent;
  readonly sessionId: string;
  readonly promptId: string;
}

/** A brief for a hook, with the data that the peer stores once the client has received the brief. */
export interface Brief {
  readonly text: string;
  readonly given: GivenBrief;
}

export interface Briefs {
  /** Returns whether the client's record is needed to decide if a brief is due. */
  asksForRecord(team: PeerSession, call: MainHook): boolean;
  /**
   * Returns the brief that is due at a hook, or null. Waits at most a second, and only for a connected
   * broker.
   */
  prepare(team: PeerSession, call: MainHook, transcript?: Transcript): Promise<Brief | null>;
}

/** Returns the unread messages that hooks and nudges deliver. Messages set aside by a brief are excluded. */
export function broughtMail({ mail }: Pick<PeerSession, "mail">, given: GivenBrief | undefined): Message[] {
  return mail.pending.filter((message) => !isSetAside(message, given));
}

/**
 * Returns whether a brief sets the message aside. Messages that address the peer by name, come from humans or
 * have priority `now` never are.
 */
export function isSetAside(message: Message, given: GivenBrief | undefined): boolean {
  return message.sequence <= (given?.setAside ?? 0) && isCommon(message);
}

export function isCommon(message: Message): boolean {
  return isForEveryone(message) && !breaksThrough(message);
}
