import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Message } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import { claudeTranscript } from "../../clients/claude-transcript.js";
import { isServing, swapPrompt } from "../../clients/serving.js";
import { toStub } from "../../feed/private-stub.js";
import { findStoredPeer, type StoredPeer, toStoredPeerId } from "../../home/stored-peers.js";
import type { OwnWordsPart } from "../../identity/own-words.js";
import { type Config, readEnvironment } from "../../settings/config.js";
import { type HookCall, parseHookCall } from "../hook-call.js";
import type { PeerInboxOptions } from "../inbox.js";
import { createDeliveryRecord } from "../mail/delivery-record.js";
import { createPeerSessions } from "../peer-sessions.js";
import { createTurn, isQueuedBehind } from "../turn.js";
import { readHookInput } from "./hook-input.js";
import { createHookServer } from "./hook-server.js";

interface MailHook {
  readonly config: Config;
  readonly input: Readable;
  readonly signal: AbortSignal;
  readonly loadOwnWords: () => Promise<Pick<OwnWordsPart, "recognise"> | undefined>;
}

/** How long to wait for the broker. Short, so that an unresponsive broker does not delay the turn. */
const withinMs = 3_000;

const notice =
  "Merkle's MCP server is not connected, so its tools are unavailable until your user types /mcp and reconnects merkle. Until then this hook delivers messages; answer in the shell: merkle post 'text'.";
const toUser =
  "Merkle's MCP server is not connected: type /mcp and reconnect merkle to give the agent its tools back.";

/**
 * Delivers unread messages from a hook command if the client cannot reach Merkle's MCP server (WAKE-15).
 * Returns the hook output with text to add to the conversation and text to show to the user.
 *
 * Returns undefined if there are no messages or a server is running. Never rejects.
 */
export async function deliverMessages({
  config,
  input,
  signal,
  loadOwnWords,
}: MailHook): Promise<string | undefined> {
  try {
    const fields = await readHookInput(input);
    const call = parseHookCall({ ...fields, event: fields["hook_event_name"] });
    const storedPeer = config.peer === undefined ? undefined : await findStoredPeer(config.home, config.peer);
    if (!storedPeer || call.agentId !== "" || isServing(config.home, toStoredPeerId(storedPeer)))
      return undefined;
    if (isQueuedBehind(swapPrompt(config.home, toStoredPeerId(storedPeer), call.promptId), call))
      return undefined;
    const text = await readMail(
      { config, loadOwnWords, signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]) },
      storedPeer,
      call,
    );
    // If a server has started since the first check, that server delivers the messages itself and marks them
    // as possibly repeated.
    if (text === "" || isServing(config.home, toStoredPeerId(storedPeer))) return undefined;
    const added = { hookEventName: call.event, additionalContext: text };
    return JSON.stringify({ systemMessage: toUser, hookSpecificOutput: added });
  } catch {
    // Report no error, because the user cannot fix a failed hook. The next hook tries again.
    return undefined;
  }
}

async function readMail(
  { config, loadOwnWords, signal }: Omit<MailHook, "input">,
  storedPeer: StoredPeer,
  call: HookCall,
): Promise<string> {
  const broker = (await findBroker(config, signal)).as(storedPeer.credential);
  const { session_id } = storedPeer;
  const { cursor } = await broker.call("ack", { session_id, cursor: 0 });
  const page = await broker.call("wait_for_messages", { session_id, since_cursor: cursor, timeout: 0 });
  if (page.messages.length === 0) return "";
  const { variables } = readEnvironment();
  const deliveryRecord = createDeliveryRecord({
    home: config.home,
    format: claudeTranscript,
    conversation: call.sessionId,
    env: variables,
    client: Number(variables["CLAUDE_PID"] ?? process.ppid),
  });
  const reader = { home: config.home, storedPeerId: toStoredPeerId(storedPeer), sessionId: session_id };
  const ownWords = await loadOwnWords();
  const messages = page.messages.map((message) => {
    const stub = toStub(message);
    return ownWords?.recognise(stub, reader) ?? stub;
  });
  const readInboxOptions = () => deliveryRecord.readInboxOptions(toStoredPeerId(storedPeer), page.epoch);
  const inbox = await waitUntilRecorded(readInboxOptions, messages);
  const teams = createPeerSessions({
    log: () => undefined,
    onNew: () => () => undefined,
    open: (_, message) => message,
  });
  const team = teams.add({
    storedPeerId: toStoredPeerId(storedPeer),
    teamId: storedPeer.team_id,
    name: storedPeer.team_name,
    peerName: storedPeer.peer_name,
    sessionId: session_id,
    slug: storedPeer.slug,
    credential: storedPeer.credential,
    cursor: cursor,
    epoch: page.epoch,
    inbox,
  });
  team.advance({ type: "warned", warning: notice });
  if (page.session_closed) team.advance({ type: "concluded" });
  team.mail.fill(cursor, messages, page.next_cursor);
  // The conversation already contains messages that an earlier hook delivered, so acknowledge them now.
  if (team.mail.ackCursor > cursor) await broker.call("ack", { session_id, cursor: team.mail.ackCursor });
  const hooks = createHookServer({
    teams,
    turn: createTurn(() => Date.now()),
    status: { report: () => undefined },
    onConversation: () => undefined,
    onProof: () => undefined,
  });
  return hooks.answer(call, await deliveryRecord.readTranscript()).text;
}

/** How many times to check whether the client has recorded the messages from the previous hook. */
const recordChecksMax = 10;
const checkIntervalMs = 100;

/**
 * Waits until the client has recorded the messages that the previous hook delivered. This hook may run before
 * that.
 */
async function waitUntilRecorded(
  open: () => Promise<PeerInboxOptions>,
  messages: readonly Message[],
): Promise<PeerInboxOptions> {
  for (let checks = 1; ; checks += 1) {
    const inbox = await open();
    const { earlier } = inbox;
    const isClear = messages.every(
      (message) => !earlier || message.sequence > earlier.upTo || earlier.classify(message) === "held",
    );
    if (isClear || checks === recordChecksMax) return inbox;
    await delay(checkIntervalMs);
  }
}
