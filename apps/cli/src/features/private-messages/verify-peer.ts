import { findBroker } from "../../broker/broker-client.js";
import { createPrompter } from "../../command/ask.js";
import { requirePerson } from "../../command/ask-to-trust.js";
import type { Command } from "../../command/command.js";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { findFlag, isSet } from "../../core/flags.js";
import { getSession } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";
import { acceptKey, compareKeys, formatComparison } from "./compare-keys.js";

export const verifyPeer: Command = {
  name: "verify-peer",
  summary: "compare keys with a peer's human, and accept a changed key",
  arguments: [{ name: "<peer>", summary: "team/peer, or only one of the names" }],
  flags: [
    { flags: "--session <session>", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    {
      flags: "--accept",
      summary: "confirm that the numbers match: private messages use this key from now on",
    },
  ],
  examples: [
    'merkle verify-peer "Birch/oak" --session split-auth',
    'merkle verify-peer "Birch/oak" --session split-auth --accept',
  ],
  async run(context) {
    const {
      args: [name = ""],
      flags,
      config,
      output,
      signal,
    } = context;
    const shouldAccept = isSet(flags, "accept");
    if (shouldAccept) {
      requirePerson(context, { what: "--accept", run: "merkle verify-peer <peer> --session <session>" });
    }
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, findFlag(flags, "session"), config);
    const comparison = await compareKeys(broker, { home: config.home, session, name });
    if (!shouldAccept) {
      output.show(comparison.report, formatComparison(comparison, output));
      return comparison.report.key === "changed" ? exitCodes.conflict : exitCodes.done;
    }
    output.note(formatComparison(comparison, output));
    const peer = toOneLine(comparison.report.peer);
    const message = `Does ${peer}'s human see the same number?`;
    if (!(await createPrompter(context).confirm({ message, default: false }))) {
      throw new CliError("key_changed", "Nothing was accepted. The key is unchanged.", {
        exitCode: exitCodes.conflict,
      });
    }
    acceptKey(config.home, comparison);
    output.show(
      { ...comparison.report, key: "accepted" },
      `${output.mark.ok} the key of ${peer} is accepted`,
    );
    return exitCodes.done;
  },
};
