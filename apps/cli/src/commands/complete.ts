import { limits } from "@merkle/wire/limits";
import { type BrokerClient, findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { type CompletionTarget, complete } from "../command/complete.js";
import { globalFlags } from "../command/program.js";
import { commandGroups } from "../commands.js";
import { exitCodes } from "../core/cli-error.js";
import { listFiles } from "../feature-hooks.js";
import { formatPeerAddress } from "../sessions/peer-names.js";
import { toOneLine } from "../text/one-line.js";

/**
 * A shell waits for completions on every keypress. Names that the broker does not return in time are left
 * out, and errors are not shown.
 */
const answerTimeoutMs = 700;

/**
 * Prints the possible completions of the last word, one per line. Called by the scripts that `merkle
 * completion` prints.
 */
export const completeWord: Command = {
  name: "__complete",
  summary: "print completions",
  hidden: true,
  arguments: [{ name: "[words...]", summary: "the words behind merkle, as typed so far" }],
  examples: ["merkle __complete -- show split"],
  offline: true,
  async run({ args, config, io, signal }) {
    const { words, targets } = complete(args, commandGroups, globalFlags);
    const completions = [...words];
    if (targets.length > 0 && !config.untrusted) {
      const within = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
      const names = await findBroker(config, within)
        .then(async (broker) => {
          const scope = { broker, session: config.session };
          return (await Promise.all(targets.map((target) => fetchNames(target, scope)))).flat();
        })
        // The person is still typing, so errors are not shown.
        .catch(() => []);
      const current = args.at(-1) ?? "";
      completions.push(...names.filter((each) => each.toLowerCase().startsWith(current.toLowerCase())));
    }
    if (completions.length > 0) io.stdout.write(`${[...new Set(completions)].join("\n")}\n`);
    return exitCodes.done;
  },
};

interface CompletionScope {
  readonly broker: Pick<BrokerClient, "call">;
  /** The session to complete in if the command line names none. */
  readonly session: string | undefined;
}

/**
 * Returns the names that a broker knows: slugs of open sessions, files under Git, or the peers, teams and
 * groups of a session.
 */
async function fetchNames(
  target: CompletionTarget,
  { broker, session: defaultSession }: CompletionScope,
): Promise<string[]> {
  if (target.is === "session") {
    const { sessions } = await broker.call("list_sessions", {
      status: "open",
      limit: limits.sessionsPageMax,
    });
    return sessions.map(({ slug }) => slug);
  }
  if (target.is === "root/path") {
    return listFiles(broker);
  }
  const session = target.session ?? defaultSession;
  if (session === undefined) return [];
  const { peers } = await broker.call("list_peers", { session_id: session });
  const groups = peers.flatMap((peer) => peer.groups.map(({ name }) => toOneLine(name)));
  if (target.is === "group") return groups;
  return [
    ...peers.flatMap(({ team, name }) => [
      formatPeerAddress(team, name),
      toOneLine(name ?? team),
      toOneLine(team),
    ]),
    ...groups.map((group) => `@${group}`),
    "@humans",
    "@all",
  ];
}
