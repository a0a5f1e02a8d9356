import type { Session, StateEntry } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { findBroker } from "../../broker/broker-client.js";
import { openLiveClient, reportConnection } from "../../broker/live-client.js";
import type { Command, CommandContext } from "../../command/command.js";
import type { Output } from "../../command/output.js";
import { exitCodes, interruptedError } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { resolveSessionArgument } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";
import { toMoment } from "../../text/time.js";
import { toJson } from "../../text/to-json.js";
import { formatShortValue } from "./format-state.js";
import { createKnownState, type ObservedStateChange } from "./known-state.js";

export const stateWatch: Command = {
  name: "state watch",
  summary: "print changes of shared values as they happen",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    {
      name: "[key]",
      summary: "only this key, or all keys with a prefix, such as deploy_* (default: all keys)",
    },
  ],
  flags: [{ flags: "--shared", summary: "use the state shared by all sessions" }],
  examples: [
    "merkle state watch split-auth",
    "merkle state watch split-auth 'deploy_*'",
    "merkle state watch split-auth --json > changes.ndjson",
  ],
  async run(context) {
    return watchState(context);
  },
};

/**
 * Prints each state change until interrupted. When a lost connection is restored, prints the current value of
 * each key that has changed (CLI-52).
 */
async function watchState(context: CommandContext): Promise<number> {
  const { args, config, signal } = context;
  const broker = await findBroker(config, signal);
  const { session, rest } = await resolveSessionArgument(broker, args, config);
  const client = await openLiveClient(broker.address, signal);
  try {
    await follow({ context, session, client, matches: toMatcher(rest) });
  } finally {
    await client.close();
  }
  if (signal.aborted) throw interruptedError();
  return exitCodes.done;
}

interface WatchedKeys {
  readonly context: CommandContext;
  readonly session: Session;
  readonly client: MerkleClient;
  readonly matches: (key: string) => boolean;
}

/**
 * Prints changes until interrupted, or until the reader of the output has closed it.
 *
 * @throws if the broker ends the subscription permanently
 */
async function follow({ context, session, client, matches }: WatchedKeys): Promise<void> {
  const { output, flags, signal } = context;
  const scope = isSet(flags, "shared") ? "mesh" : "session";
  const { session_id } = session;
  const known = createKnownState({ client, session_id, scope, matches });
  await known.read();

  return new Promise((resolve, reject) => {
    // Changes are processed one after another, so that they are printed in order.
    let work = Promise.resolve();
    const printChanges = (find: () => Promise<readonly ObservedStateChange[]>): Promise<void> => {
      work = work
        .then(async () => {
          for (const change of await find()) {
            if (!(await print(change, output))) end(resolve);
          }
        })
        .catch((error: unknown) => end(() => reject(error)));
      return work;
    };
    const readAgain = () => printChanges(() => known.read());
    const stopPushes = client.onPush((push) => {
      if (push.type === "state_change" && push.session_id === (scope === "mesh" ? null : session_id)) {
        void printChanges(() => known.applyPush(push));
      }
    });
    // The broker pushes state changes only to clients that follow the session. The session's messages are
    // ignored here.
    const subscription = client.follow({
      session: session_id,
      after: session.last_sequence,
      onMessage: () => undefined,
      onResync: () => {
        known.markStale();
        void readAgain();
        return undefined;
      },
      onError: (error) => end(() => reject(error)),
    });
    const connection = reportConnection({
      client,
      output,
      getCursor: () => 0,
      // The connection is reported as restored only after the missed changes have been printed.
      readHead: async () => {
        await readAgain();
        return 0;
      },
    });
    subscription.ready.then(
      () => {
        output.note(`watching the state of ${scope === "mesh" ? "the mesh" : session.slug}`);
        // Keys may have changed between the first read and the subscription.
        void readAgain();
      },
      () => undefined,
    );
    const abort = () => end(resolve);
    signal.addEventListener("abort", abort);

    function end(settle: () => void): void {
      signal.removeEventListener("abort", abort);
      stopPushes();
      connection.stop();
      subscription.close();
      settle();
    }
  });
}

function toMatcher(pattern: string | undefined): (key: string) => boolean {
  if (pattern === undefined) return () => true;
  if (pattern.endsWith("*")) return (key) => key.startsWith(pattern.slice(0, -1));
  return (key) => key === pattern;
}

function print({ entry, before, frame }: ObservedStateChange, output: Output): Promise<boolean> {
  return output.writeLine(output.json ? toJson(frame) : describe(entry, before, output));
}

function describe(entry: StateEntry, before: StateEntry | undefined, output: Output): string {
  const from = before === undefined ? "none" : formatShortValue(before);
  return [
    output.dim(toMoment(entry.updatedAt)),
    `${output.bold(toOneLine(entry.key))}: ${from} ${output.signs.arrow} ${formatShortValue(entry)}`,
    output.dim(`v${entry.version} ${toOneLine(entry.updatedBy)}`),
  ].join("  ");
}
