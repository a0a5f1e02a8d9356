import { MerkleError, type Message } from "@merkle/wire";
import { fitPage } from "../inbox.js";
import type { PeerSession } from "../peer-sessions.js";
import type { WaitRequest, WaitResult } from "./wait.js";

/**
 * Answers a wait from a subagent. The subagent reads each of its peer's messages once, without taking them
 * from the peer. The broker is not called, because it does not distinguish subagents (WAKE-7).
 */
export async function readAsSubagent(
  agent: string,
  request: Omit<WaitRequest, "acknowledger">,
): Promise<WaitResult> {
  const { team, timeoutMs, signal, view } = request;
  const messages = await waitForMail(team, agent, { timeoutMs, signal, view });
  const cursor = messages.at(-1)?.sequence ?? getCursor(team, agent);
  return {
    output: {
      messages: [...messages],
      next_cursor: cursor,
      session_closed: team.isClosed,
      epoch: requireEpoch(team),
    },
    settle: (isDelivered) => {
      if (isDelivered) team.advance({ type: "subagentRead", agent, cursor });
    },
  };
}

function getCursor({ state, mail }: PeerSession, agent: string): number {
  return state.subagents.get(agent) ?? mail.receivedCursor;
}

function waitForMail(
  team: PeerSession,
  agent: string,
  { timeoutMs, signal, view }: Pick<WaitRequest, "timeoutMs" | "signal" | "view">,
): Promise<readonly Message[]> {
  const { mail } = team;
  return new Promise((resolve, reject) => {
    const read = () => mail.peek(getCursor(team, agent), fitPage(view));
    const end = (messages: readonly Message[]) => {
      clearTimeout(timer);
      stopListening();
      signal.removeEventListener("abort", cancel);
      resolve(messages);
    };
    const check = () => {
      const messages = read();
      if (messages.length > 0) end(messages);
    };
    const cancel = () => {
      reject(signal.reason);
      end([]);
    };
    const timer = setTimeout(() => end([]), timeoutMs);
    const stopListening = mail.listen(check);
    signal.addEventListener("abort", cancel);
    check();
  });
}

function requireEpoch({ state: { epoch } }: PeerSession): string {
  if (epoch !== undefined) return epoch;
  throw new MerkleError("unavailable", "The broker has not been reached yet. Call again later.");
}
