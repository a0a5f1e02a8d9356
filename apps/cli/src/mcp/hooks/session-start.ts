import type { Readable } from "node:stream";
import { formatIntroduction } from "../../clients/introduction.js";
import { findStoredPeer, saveStoredPeer } from "../../home/stored-peers.js";
import { findConversation, isFromCursor, readHookInput } from "./hook-input.js";

interface SessionStart {
  readonly home: string;
  /** Id of the stored peer that the client was launched as. Undefined if the client was not launched by Merkle. */
  readonly storedPeerId: string | undefined;
  /** The input that the client passes to its hook. */
  readonly input: Readable;
}

/**
 * Returns the hook output that makes Claude Code add text to a new conversation (WAKE-12). Undefined if there
 * is nothing to add.
 */
export async function startSession({ home, storedPeerId, input }: SessionStart): Promise<string | undefined> {
  const fields = await readHookInput(input);
  // Cursor can run Claude Code's hooks beside its own, which introduce its model.
  if (isFromCursor(fields)) return undefined;
  const sessionId = findConversation(fields);
  const introduction = await introduceSession({ home, storedPeerId, sessionId });
  if (introduction === undefined) return undefined;
  const added = { hookEventName: "SessionStart", additionalContext: `${introduction}\n${claudeCodeHint}` };
  return JSON.stringify({ hookSpecificOutput: added });
}

/**
 * Stores the client's current conversation for its peer. Returns the text to add to the conversation: who the
 * model acts as, and how messages arrive (WAKE-12).
 *
 * Returns undefined instead of failing, because the client would show a failed hook to the user, who cannot
 * fix it.
 */
export async function introduceSession({
  home,
  storedPeerId,
  sessionId,
}: Omit<SessionStart, "input"> & { sessionId: string | undefined }): Promise<string | undefined> {
  if (storedPeerId === undefined || !/^[0-9a-f-]{36}$/.test(storedPeerId)) return undefined;
  const storedPeer = await findStoredPeer(home, storedPeerId);
  if (!storedPeer) return undefined;
  // Ignore a failed write. Its only effect is that a later launch asks for a peer when it resumes this
  // conversation.
  if (sessionId && sessionId !== storedPeer.claude_session_id)
    await saveStoredPeer(home, { ...storedPeer, claude_session_id: sessionId }).catch(() => undefined);
  const { slug, team_name, peer_name } = storedPeer;
  return formatIntroduction({ session: slug, team: team_name, peer: peer_name });
}

const claudeCodeHint =
  "Merkle's tools are named mcp__merkle__…; while they are still connecting, ToolSearch finds them.";
