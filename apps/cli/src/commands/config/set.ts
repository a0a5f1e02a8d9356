import { exitCodes, usageError } from "../../cli-error.js";
import type { Command, CommandContext } from "../../command.js";
import { isSet } from "../../flags.js";

export const configSet: Command = {
  name: "config set",
  summary: "change one setting of the broker while it runs",
  arguments: [
    { name: "<setting>", summary: "url, or a name from merkle config list" },
    { name: "<value>", summary: "the new value; none takes the url away" },
  ],
  flags: [{ flags: "--local", summary: "this machine's: where its commands find the broker" }],
  examples: [
    "merkle config set url https://mesh.example.com",
    "merkle config set idle_polls 20",
    "merkle config set url http://192.168.1.5:7423 --local",
  ],
  async run(context) {
    return isSet(context.flags, "local") ? setLocal(context) : setOnBroker(context);
  },
};

async function setOnBroker({
  args: [word = "", text = ""],
  config,
  output,
  signal,
}: CommandContext): Promise<number> {
  const { toSettingName, toSettingValue } = await import("../../broker-settings.js");
  const { findBroker } = await import("../../broker-client.js");
  const setting = toSettingName(word);
  const change = toSettingValue(setting, text);
  const broker = await findBroker(config, signal);
  const { settings, base_url, connection_url } = await broker.call("update_settings", { settings: change });
  const value = settings[setting];
  if (setting !== "public_url") {
    output.show({ setting, value }, `${output.mark.ok} ${setting} is ${value}`);
    return exitCodes.done;
  }
  output.show({ setting, value, base_url, connection_url }, `${output.mark.ok} agents use ${connection_url}`);
  output.note("  agents that run keep the address they were given until they are connected again");
  return exitCodes.done;
}

async function setLocal({ args: [word = "", text = ""], config, output }: CommandContext): Promise<number> {
  if (word !== "url") throw usageError("Only url can be set with --local.");
  const { toBaseUrl } = await import("../../base-url.js");
  const { writeMcpUrl } = await import("../../config-file.js");
  const { homeFiles } = await import("../../merkle-home.js");
  const path = homeFiles.config(config.home);
  const value = text === "none" ? undefined : toBaseUrl(text, "url");
  await writeMcpUrl(path, value);
  output.show(
    { setting: "url", value: value ?? null, file: path },
    `${output.mark.ok} ${value === undefined ? "no url" : `url ${value}`} in ${path}`,
  );
  const { source } = config.broker;
  if (source !== "default" && source !== "config.json")
    output.note(`${output.mark.warn} ${source} comes first, and stays`);
  return exitCodes.done;
}
