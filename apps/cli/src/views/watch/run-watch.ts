import { ReadStream, WriteStream } from "node:tty";
import { findRedactedMessage, type Message, withoutText } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { type BrokerClient, findBroker } from "../../broker/broker-client.js";
import { openLiveClient } from "../../broker/live-client.js";
import type { CommandContext } from "../../command/command.js";
import { exitCodes, interruptedError } from "../../core/cli-error.js";
import { createKnownTeams, findTailedSession } from "../../feed/known-teams.js";
import { createMessageFormat, createTextFormat } from "../../feed/tail/print-messages.js";
import { type CheckConcluded, followSession, runTail } from "../../feed/tail/run-tail.js";
import { readTailOptions } from "../../feed/tail/tail-options.js";
import { toNeed } from "../needs.js";
import type { BoardFacts } from "./board.js";
import { type BoardController, startBoard } from "./board-controller.js";

/**
 * Shows a session live and handles keys. Without a terminal, prints messages as `merkle tail` does (CLI-48 to
 * CLI-50).
 */
export async function runWatch(context: CommandContext, checkConcluded: CheckConcluded): Promise<number> {
  const { config, signal, output } = context;
  const terminal = findTerminal(context);
  if (!terminal) return runTail(context, checkConcluded);
  const broker: BrokerClient = await findBroker(config, signal);
  const session = await findTailedSession(broker, context);
  const options = readTailOptions(context.flags);
  const client = await openLiveClient(broker.address, signal);
  const quit = new AbortController();
  const ended = AbortSignal.any([signal, quit.signal]);
  try {
    const read = () => readFacts(client, session.session_id, ended);
    const board = startBoard({
      ...terminal,
      context,
      broker,
      session,
      facts: await read(),
      readFacts: read,
      end: (reason) => quit.abort(reason),
    });
    const teams = createKnownTeams({ client, session, config, output });
    const format = createTextFormat(output, teams);
    const formatAlone = createMessageFormat(output, teams);
    try {
      await followSession({
        checkConcluded,
        context: { ...context, signal: ended, output: { ...output, note: board.showNotice } },
        options,
        broker,
        session,
        client,
        printer: {
          async print(message) {
            board.add({ message, text: await format(message) });
            await removeRedactedText(message, board, formatAlone);
            return true;
          },
        },
        onChanged: board.refresh,
      });
    } finally {
      board.stop();
    }
  } catch (error) {
    // Ignore errors that occur after the user has ended the command.
    if (!ended.aborted) throw error;
  } finally {
    await client.close();
  }
  if (signal.aborted || quit.signal.reason === "interrupted") throw interruptedError();
  return exitCodes.done;
}

/** Removes the text of a redacted message from the screen. Keeps the date line above the message, if any. */
async function removeRedactedText(
  event: Message,
  board: BoardController,
  format: (message: Message) => Promise<string>,
): Promise<void> {
  const redacted = findRedactedMessage(event);
  const shown = redacted && board.find(redacted.sequence);
  if (!shown) return;
  const above = shown.text.slice(0, -(await format(shown.message)).length);
  const message = withoutText(shown.message, redacted.redaction);
  board.replace({ message, text: above + (await format(message)) });
}

/**
 * Returns the terminal's input and output, or undefined if the screen cannot be drawn or the user cannot
 * type.
 */
export function findTerminal({
  flags,
  output,
  io,
}: CommandContext): { readonly stdin: ReadStream; readonly stdout: WriteStream } | undefined {
  const { stdin, stdout, env } = io;
  if (output.json || flags["input"] === false || env["TERM"] === "dumb") return undefined;
  return stdin instanceof ReadStream && stdout instanceof WriteStream ? { stdin, stdout } : undefined;
}

/** Reads the facts to show above the feed. */
async function readFacts(
  client: Pick<MerkleClient, "call">,
  session_id: string,
  signal: AbortSignal,
): Promise<BoardFacts> {
  const [session, { peers }, { items }] = await Promise.all([
    client.call("get_session", { session_id }, { signal }),
    client.call("list_peers", { session_id }, { signal }),
    client.call("list_attention", { session: session_id }, { signal }),
  ]);
  return { session, peers, needs: items.map(toNeed) };
}
