import { findBroker } from "../../broker/broker-client.js";
import { toSettingName } from "../../broker/broker-settings.js";
import type { Command } from "../../command/command.js";
import { isSet } from "../../command/flags.js";
import { exitCodes, usageError } from "../../core/cli-error.js";

export const configGet: Command = {
  name: "config get",
  summary: "print one setting of the broker",
  arguments: [{ name: "<setting>", summary: "url, or a name from merkle config list" }],
  flags: [{ flags: "--local", summary: "this machine's url or name" }],
  examples: ["merkle config get url", "merkle config get idle_polls", "merkle config get url --local"],
  async run({ args: [word = ""], flags, config, output, signal }) {
    if (isSet(flags, "local")) {
      if (word !== "url" && word !== "name") throw usageError("Only url and name can be read with --local.");
      if (word === "name") {
        const name = config.personName ?? null;
        output.show({ setting: "name", value: name }, name ?? "none");
        return exitCodes.done;
      }
      const { base, source } = config.broker;
      output.show({ setting: "url", value: base, source }, base);
      return exitCodes.done;
    }
    const setting = toSettingName(word);
    const broker = await findBroker(config, signal);
    const { settings, base_url, connection_url } = await broker.call("get_settings", {});
    const value = settings[setting];
    // Nobody has set a public URL: then agents use the address that the broker listens on.
    const shown = setting === "public_url" ? (value ?? base_url) : value;
    output.show(
      { setting, value, ...(setting === "public_url" ? { base_url, connection_url } : {}) },
      String(shown),
    );
    return exitCodes.done;
  },
};
