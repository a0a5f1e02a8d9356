import type { Message, Session } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { type BrokerClient, findBroker } from "../../broker/broker-client.js";
import { openLiveClient, reportConnection } from "../../broker/live-client.js";
import type { CommandContext } from "../../command/command.js";
import { CliError, exitCodes, interruptedError } from "../../core/cli-error.js";
import { describeError } from "../../core/describe-error.js";
import { formatCount } from "../../text/time.js";
import { createKnownTeams, findTailedSession } from "../known-teams.js";
import { findStart } from "./find-start.js";
import { createReadMessages, type FeedDivergence, followFeed } from "./follow-feed.js";
import { markAsRead, type ReadMarker, readLastRead } from "./last-read.js";
import { createJsonPrinter, createTextPrinter, type MessagePrinter } from "./print-messages.js";
import { createFilter, readTailOptions, type TailOptions } from "./tail-options.js";
import { watchForEnd } from "./watch-for-end.js";

/** Prints a session's feed until the tail ends (CLI-30 to CLI-37). */
export async function runTail(context: CommandContext, checkConcluded: CheckConcluded): Promise<number> {
  const { config, signal } = context;
  const options = readTailOptions(context.flags);
  const broker = await findBroker(config, signal);
  const session = await findTailedSession(broker, context);
  const client = await openLiveClient(broker.address, signal);
  const { output } = context;
  const printer = output.json
    ? createJsonPrinter(output)
    : createTextPrinter(output, createKnownTeams({ client, session, config, output }));
  try {
    await followSession({ context, options, broker, session, client, printer, checkConcluded });
  } finally {
    await client.close();
  }
  if (signal.aborted) throw interruptedError();
  return exitCodes.done;
}

/** Checks a `session_concluded` message. Resolves with the problem to report, or null. */
export type CheckConcluded = (
  message: Message,
  where: { readonly home: string; readonly broker: Pick<BrokerClient, "call"> },
) => Promise<CliError | null>;

interface TailedSession {
  readonly context: CommandContext;
  readonly options: TailOptions;
  readonly broker: BrokerClient;
  /** The session as it was when the tail began. */
  readonly session: Session;
  readonly client: MerkleClient;
  readonly printer: MessagePrinter;
  readonly checkConcluded: CheckConcluded;
  /** Called when the session or its roster has changed. */
  readonly onChanged?: () => void;
}

/**
 * Checks the seal in a conclusion. Reports a seal that does not continue the record that this machine saw
 * before, even with `--quiet`.
 */
async function reportProblem(
  message: Message,
  { context, broker, checkConcluded }: TailedSession,
): Promise<void> {
  const problem = await checkConcluded(message, { home: context.config.home, broker });
  if (problem) context.output.error(problem);
}

/** Prints the feed, and reports lost and restored connections, until the tail ends. */
export async function followSession(tailed: TailedSession): Promise<void> {
  const { context, options, session, client, printer } = tailed;
  const { output, signal } = context;
  const isShown = createFilter(options);
  const after = await findTailStart(tailed, isShown);
  const readMessages = createReadMessages(after);
  const marker = createMarker(tailed);
  const end = watchForEnd({ client, session, options, getCursor: () => readMessages.cursor });
  const connection = reportConnection({
    client,
    output,
    getCursor: () => readMessages.cursor,
    readHead: async () =>
      (await client.call("get_session", { session_id: session.session_id }, { signal })).last_sequence,
  });

  // Aborted when the reader of the output has closed it.
  const outputClosed = new AbortController();

  try {
    await followFeed({
      client,
      session: session.session_id,
      after,
      signal: AbortSignal.any([signal, end.signal, outputClosed.signal]),
      async onMessage(message) {
        if (isShown(message) && !(await printer.print(message))) return outputClosed.abort();
        readMessages.add(message);
        marker?.recordPrinted(readMessages.cursor);
        connection.checkCaughtUp();
        end.recordPrinted(message);
        if (message.event === "session_concluded") await reportProblem(message, tailed);
      },
      onReady() {
        output.note(describeConnected(session, options, after));
        end.recordConnected();
      },
      onChanged: () => tailed.onChanged?.(),
      async onResync() {
        const divergence = await readMessages.findDivergence(client, session.session_id);
        reportRestore(divergence, tailed);
        end.recordRestore();
        return readMessages.cursor;
      },
    });
    if (end.signal.reason instanceof CliError) throw end.signal.reason;
  } finally {
    connection.stop();
    end.stop();
    await marker?.finish().catch((error: unknown) => {
      output.note(`not marked as read: ${describeError(error)}`);
    });
  }
}

function findTailStart(
  { context, options, broker, session, client }: TailedSession,
  isShown: ReturnType<typeof createFilter>,
): Promise<number> {
  const { config, signal } = context;
  return findStart({
    client,
    session,
    since: options.since,
    isShown,
    readLastRead: () => readLastRead({ broker, session, config }),
    now: Date.now(),
    signal,
  });
}

/**
 * Creates the marker for read messages. Undefined unless the tail shows unread messages, without a filter
 * that could hide some of them.
 */
function createMarker({ context, options, broker, session }: TailedSession): ReadMarker | undefined {
  if (options.since.is !== "unread") return undefined;
  if (options.types === undefined && options.from === undefined) {
    return markAsRead({ broker, session, config: context.config });
  }
  context.output.note("nothing is marked as read, because --types and --from may hide messages");
  return undefined;
}

/** Returns the text to show once the broker has confirmed the subscription. */
function describeConnected(
  { slug, status, last_sequence }: Session,
  { since, untilClosed }: TailOptions,
  after: number,
) {
  const count = last_sequence - after;
  const closed = status === "closed" && !untilClosed ? `; ${slug} is closed, Ctrl+C ends` : "";
  return `connected, ${describeCount()}${closed}`;

  function describeCount(): string {
    const from = `from #${after + 1}`;
    if (since.is === "unread") return count > 0 ? `${count} unread ${from}` : "nothing unread";
    if (count === 0) return last_sequence === 0 ? "nothing posted yet" : `nothing after #${after} yet`;
    return since.is === "last"
      ? `the last ${count} of ${last_sequence} ${from}`
      : `${formatCount(count, "message")} ${from}`;
  }
}

/**
 * Reports which messages remain after the database was restored.
 *
 * @throws CliError `resync` with `--json` if messages are missing, because new messages will reuse their
 * sequences
 */
function reportRestore(
  { sequence, gone }: FeedDivergence,
  { context: { output }, session }: TailedSession,
): void {
  const restored = "The broker's database was restored";
  if (gone === 0) {
    output.note(`${restored}; everything shown is still there`);
    return;
  }
  const range = `#${sequence + 1} to #${sequence + gone}`;
  if (output.json) {
    throw new CliError(
      "resync",
      `${restored}: ${range} no longer exist, and their numbers will be used again.`,
      {
        exitCode: exitCodes.conflict,
        details: { after: sequence, gone },
        next: [`merkle tail ${session.slug} --since ${sequence} --json`],
      },
    );
  }
  output.note(`${restored}: ${range} no longer exist; continuing after #${sequence}`);
}
