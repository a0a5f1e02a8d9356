import { findBroker } from "../../broker/broker-client.js";
import { toSettingName } from "../../broker/broker-settings.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { findLocalSetting, readLocal, toText } from "./local.js";

export const configGet: Command = {
  name: "config get",
  summary: "print one setting of the broker",
  arguments: [{ name: "<setting>", summary: "url, or a setting name from merkle config list" }],
  flags: [
    { flags: "--local", summary: "show a setting of this machine; its name is from config list --local" },
  ],
  envFiles: true,
  examples: ["merkle config get url", "merkle config get idle_polls", "merkle config get url --local"],
  async run({ args: [word = ""], flags, config, output, signal }) {
    if (isSet(flags, "local")) {
      const setting = await findLocalSetting(word);
      const { value } = (await readLocal(config))[word] ?? {};
      const source = config.getSource(setting);
      output.show({ setting: word, value, source }, toText(value));
      output.note(`  from ${source}`);
      return exitCodes.done;
    }
    const setting = toSettingName(word);
    const broker = await findBroker(config, signal);
    const { settings, base_url, connection_url } = await broker.call("get_settings", {});
    const value = settings[setting];
    // If no public URL is set, agents use the address that the broker listens on.
    const shown = setting === "public_url" ? (value ?? base_url) : value;
    output.show(
      { setting, value, ...(setting === "public_url" ? { base_url, connection_url } : {}) },
      String(shown),
    );
    return exitCodes.done;
  },
};
