import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { endsWithQuestion, turnEndTool } from "@merkle/wire/text";
import { readClaudeState } from "../../clients/claude-state.js";
import { findStoredPeer } from "../../home/stored-peers.js";
import { readHookInput } from "../../mcp/hooks/hook-input.js";
import { readEnvironment } from "../../settings/config.js";
import { askPerson, type RelayOptions, takesAnswers } from "./relay-permission.js";

/**
 * Shows the agent's own person that a turn has ended with a question, until another turn begins (APPROVE-12).
 * Returns nothing to the client, which would present any output of this hook as no input of its user. The
 * person answers with a message.
 */
export async function relayTurnEnd({ config, devices, input, signal }: RelayOptions): Promise<void> {
  try {
    const { last_assistant_message: text, cwd: folder } = await readHookInput(input);
    const peer = config.peer === undefined ? undefined : await findStoredPeer(config.home, config.peer);
    if (!peer || typeof text !== "string" || typeof folder !== "string" || !endsWithQuestion(text)) return;
    if (!(await takesAnswers(config, peer))) return;
    const idle = await watchIdle(signal);
    if (!idle) return;
    const subject = {
      ...{ tool: turnEndTool, input: JSON.stringify({ last_assistant_message: text }), folder },
      salt: randomBytes(32).toString("hex"),
    };
    try {
      await askPerson({ config, peer, subject, devices, ended: AbortSignal.any([signal, idle.ended]) });
    } finally {
      idle.stop();
    }
  } catch {
    // Report no error: the client would show a failed hook to its user.
  }
}

const pollIntervalMs = 500;
/** The client is idle this soon after the end of a turn, unless another hook has continued the turn. */
const idleWithinMs = 5_000;

/**
 * Waits until the client is idle. Returns a signal that the client works again or has ended, or undefined if it
 * does not become idle.
 */
async function watchIdle(
  signal: AbortSignal,
): Promise<{ readonly ended: AbortSignal; stop(): void } | undefined> {
  const { variables } = readEnvironment();
  const read = () => readClaudeState(variables["CLAUDE_PID"], variables);
  const isIdle = ({ kind, status }: Awaited<ReturnType<typeof read>>) =>
    kind === "interactive" && status === "idle";
  const beganAt = Date.now();
  let state = await read();
  while (!isIdle(state)) {
    if (Date.now() - beganAt > idleWithinMs) return undefined;
    await delay(pollIntervalMs, undefined, { signal });
    state = await read();
  }
  const ended = new AbortController();
  const stopped = new AbortController();
  const since = state.statusUpdatedAt;
  const watch = async () => {
    for (;;) {
      await delay(pollIntervalMs, undefined, { signal: AbortSignal.any([signal, stopped.signal]) });
      const next = await read();
      // A short turn may begin and end between two polls.
      if (!isIdle(next) || next.statusUpdatedAt !== since) return ended.abort();
    }
  };
  watch().catch(() => undefined); // The watch was stopped.
  return { ended: ended.signal, stop: () => stopped.abort() };
}
