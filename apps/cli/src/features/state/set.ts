import type { OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import type { Output } from "../../command/output.js";
import { readText } from "../../command/read-text.js";
import { exitCodes } from "../../core/cli-error.js";
import { readWholeNumber } from "../../core/flag-values.js";
import { findFlag, isSet } from "../../core/flags.js";
import { getSessionActor } from "../../identity/actors.js";
import { splitSessionArgument } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";
import { formatCount } from "../../text/time.js";
import { formatShortValue } from "./format-state.js";

export const stateSet: Command = {
  name: "state set",
  summary: "set a shared value; agents watching the key are notified",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    { name: "[key]", summary: "key (required)" },
    { name: "[value]", summary: "JSON or plain text; - reads it from stdin (required)" },
  ],
  flags: [
    {
      flags: "--expect <version>",
      summary: "only if this is the current version; 0: only if the key is not set",
    },
    { flags: "--shared", summary: "use the state shared by all sessions" },
  ],
  examples: [
    "merkle state set split-auth deploy_frozen true",
    'merkle state set split-auth owner "Alex" --expect 3',
    "merkle state set split-auth limits - < limits.json",
  ],
  async run({ args, flags, config, io, output, signal }) {
    const expected = readWholeNumber(findFlag(flags, "expect"), "--expect", {
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
    });
    const broker = await findBroker(config, signal);
    const usage = "merkle state set <session> <key> <value>";
    const { session, words } = await splitSessionArgument(broker, args, { needed: 2, usage, config });
    const [key = "", given] = words;
    // The input may be longer than the stored value, because indented JSON is stored without the indentation.
    const bytesMax = limits.stateValueBytesMax * 4;
    const text = await readText({ given, name: "the value", usage, bytesMax, io, signal });
    const actor = await getSessionActor(session, { broker, config });
    const entry = await actor.call("set_state", {
      session_id: session.session_id,
      key,
      value: toValue(text),
      scope: isSet(flags, "shared") ? "mesh" : "session",
      ...(expected === undefined ? {} : { expected_version: expected }),
    });
    output.show(entry, await formatChange(entry, output));
    return exitCodes.done;
  },
};

/**
 * Parses JSON values such as `true`, `3` or `{"a": 1}`. Any other text becomes a string, without the trailing
 * line breaks that a pipe adds.
 */
function toValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.replace(/(?:\r?\n)+$/, "");
  }
}

async function formatChange(entry: OutputOf<"set_state">, output: Output): Promise<string> {
  const key = toOneLine(entry.key);
  if (!entry.changed) return `${key} is ${formatShortValue(entry)} already, v${entry.version}`;
  const before = entry.previous === null ? "none" : formatShortValue(entry.previous);
  const notified = entry.watchers > 0 ? `   notified ${formatCount(entry.watchers, "peer")}` : "";
  return `${key}: ${before} ${output.signs.arrow} ${formatShortValue(entry)}${notified}`;
}
