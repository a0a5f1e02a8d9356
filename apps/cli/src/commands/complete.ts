import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { askNames, complete } from "../command/complete.js";
import { globalFlags } from "../command/program.js";
import { commandGroups } from "../commands.js";
import { exitCodes } from "../core/cli-error.js";

/** A shell waits for it at each key: what a broker does not say in time is left out, and so is what is wrong. */
const answerWithinMs = 700;

/** Run by the scripts of `merkle completion`: prints what can stand in place of the last word, one a line. */
export const completeWord: Command = {
  name: "__complete",
  summary: "print completions",
  hidden: true,
  arguments: [{ name: "[words...]", summary: "the words behind merkle, as typed so far" }],
  examples: ["merkle __complete -- show split"],
  offline: true,
  async run({ args, config, io, signal }) {
    const { words, asks } = complete(args, commandGroups, globalFlags);
    const found = [...words];
    if (asks.length > 0 && !config.untrusted) {
      const within = AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]);
      const names = await findBroker(config, within)
        .then(async (broker) => {
          const place = { broker, session: config.session };
          return (await Promise.all(asks.map((asked) => askNames(asked, place)))).flat();
        })
        // Whoever types has asked nothing yet.
        .catch(() => []);
      const current = args.at(-1) ?? "";
      found.push(...names.filter((each) => each.toLowerCase().startsWith(current.toLowerCase())));
    }
    if (found.length > 0) io.stdout.write(`${[...new Set(found)].join("\n")}\n`);
    return exitCodes.done;
  },
};
