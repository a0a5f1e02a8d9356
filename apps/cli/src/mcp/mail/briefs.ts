import type { Message } from "@merkle/wire";
import type { HookEvent } from "../../clients/client.js";
import type { Transcript } from "../../clients/transcript.js";
import type { GivenBrief, PeerSession } from "../peer-sessions.js";
import { breaksThrough, isForEveryone } from "../what-wakes.js";

/** A hook of the main agent. */
export interface MainHook {
  readonly event: HookEvent;
  readonly sessionId: string;
  readonly promptId: string;
}

/** A brief for a hook, and what the peer notes once the client has it. */
export interface Brief {
  readonly text: string;
  readonly given: GivenBrief;
}

export interface Briefs {
  /** Whether the client's record decides if a brief is due. */
  asksForRecord(team: PeerSession, call: MainHook): boolean;
  /** The brief that is due at a hook, if any. It waits for a broker that is connected, a second at most, and for no other. */
  prepare(team: PeerSession, call: MainHook, transcript?: Transcript): Promise<Brief | null>;
}

/** The unread messages that hooks and nudges bring: all but those that a brief has set aside. */
export function broughtMail({ mail }: Pick<PeerSession, "mail">, given: GivenBrief | undefined): Message[] {
  return mail.pending.filter((message) => !isSetAside(message, given));
}

/** Messages to the peer by name, from humans and of priority `now` are never set aside. */
export function isSetAside(message: Message, given: GivenBrief | undefined): boolean {
  return message.sequence <= (given?.setAside ?? 0) && isCommon(message);
}

export function isCommon(message: Message): boolean {
  return isForEveryone(message) && !breaksThrough(message);
}
