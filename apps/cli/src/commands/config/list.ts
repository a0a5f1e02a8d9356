import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { type LocalValue, readLocal, toText } from "./local.js";

export const configList: Command = {
  name: "config list",
  summary: "show the settings of the broker and of this machine, with the source of each value",
  flags: [{ flags: "--local", summary: "only the settings of this machine; does not call the broker" }],
  examples: ["merkle config list", "merkle config list --json", "merkle config list --local"],
  envFiles: true,
  async run({ flags, config, output, signal }) {
    const values = await readLocal(config);
    const local = {
      ...Object.fromEntries(Object.entries(values).map(([name, { value }]) => [name, value])),
      url_from: config.broker.source,
      sources: Object.fromEntries(Object.entries(values).map(([name, { source }]) => [name, source])),
    };
    if (isSet(flags, "local")) {
      output.show({ local }, formatLocalSettings(values, output.columns));
      return exitCodes.done;
    }
    const broker = await findBroker(config, signal);
    const { settings, base_url, connection_url } = await broker.call("get_settings", {});
    output.show(
      { broker: { url: broker.base, settings, base_url, connection_url }, local },
      `${formatSettings(`broker at ${broker.base}`, { ...settings, agents_use: connection_url })}\n\n${formatLocalSettings(values, output.columns)}`,
    );
    return exitCodes.done;
  },
};

/** Formats the local settings as a table. A single very wide value does not widen its column. */
function formatLocalSettings(values: Readonly<Record<string, LocalValue>>, columns: number): string {
  const widthMax = Math.min(44, columns - 36);
  const fitting = Object.values(values).map(({ value }) => toText(value).length);
  const width = Math.max(0, ...fitting.filter((each) => each <= widthMax));
  const rows = Object.entries(values).map(([name, { value, source }]) => [
    name,
    `${toText(value).padEnd(width)}  ${source}`,
  ]);
  return formatSettings("this machine", Object.fromEntries(rows));
}

function formatSettings(title: string, values: Readonly<Record<string, unknown>>): string {
  const width = Math.max(...Object.keys(values).map((key) => key.length));
  const rows = Object.entries(values).map(([key, value]) => `  ${key.padEnd(width)}  ${toText(value)}`);
  return [title, ...rows].join("\n");
}
