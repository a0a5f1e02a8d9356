import { MerkleError, type Message } from "@merkle/wire";
import { fitPage } from "../inbox.js";
import type { PeerSession } from "../peer-sessions.js";
import type { Waited, WaitRequest } from "./wait.js";

/**
 * Answers a wait from a subagent. The subagent reads each of its peer's messages once, without taking them
 * from the peer. The broker is not called, because it does not distinguish subagents (WAKE-7).
 */
export async function readAlong(agent: string, request: Omit<WaitRequest, "acknowledger">): Promise<Waited> {
  const { team, timeoutMs, signal, view } = request;
  const messages = await untilThere(team, agent, { timeoutMs, signal, view });
  const cursor = messages.at(-1)?.sequence ?? placeOf(team, agent);
  return {
    output: {
      messages: [...messages],
      next_cursor: cursor,
      session_closed: team.closed,
      epoch: requireEpoch(team),
    },
    settle: (arrived) => {
      if (arrived) team.advance({ type: "subagentRead", agent, cursor });
    },
  };
}

function placeOf({ state, mail }: PeerSession, agent: string): number {
  return state.subagents.get(agent) ?? mail.shown;
}

function untilThere(
  team: PeerSession,
  agent: string,
  { timeoutMs, signal, view }: Pick<WaitRequest, "timeoutMs" | "signal" | "view">,
): Promise<readonly Message[]> {
  const { mail } = team;
  return new Promise((resolve, reject) => {
    const read = () => mail.peek(placeOf(team, agent), fitPage(view));
    const end = (messages: readonly Message[]) => {
      clearTimeout(timer);
      stopListening();
      signal.removeEventListener("abort", cancel);
      resolve(messages);
    };
    const look = () => {
      const messages = read();
      if (messages.length > 0) end(messages);
    };
    const cancel = () => {
      reject(signal.reason);
      end([]);
    };
    const timer = setTimeout(() => end([]), timeoutMs);
    const stopListening = mail.listen(look);
    signal.addEventListener("abort", cancel);
    look();
  });
}

function requireEpoch({ state: { epoch } }: PeerSession): string {
  if (epoch !== undefined) return epoch;
  throw new MerkleError("unavailable", "The broker has not been reached yet. Call again later.");
}
