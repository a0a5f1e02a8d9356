import { limits } from "@merkle/wire/limits";
import { describeNewNameDeception, normaliseName } from "@merkle/wire/text";
import { findBroker } from "../../broker/broker-client.js";
import { formatSettingValue, toSettingName, toSettingValue } from "../../broker/broker-settings.js";
import type { Command, CommandContext } from "../../command/command.js";
import { toBaseUrl } from "../../core/address.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { isSet, splitList } from "../../core/flags.js";
import { homeFiles } from "../../core/merkle-home.js";
import { getPersonActor } from "../../identity/actors.js";
import { refuseBadDevices } from "../../settings/approvers.js";
import { writeConfigValue } from "../../settings/config-file.js";
import { parseRanges } from "../../settings/parse-settings.js";
import type { SettingSources } from "../../settings/setting.js";
import { findLocalSetting, toText } from "./local.js";

export const configSet: Command = {
  name: "config set",
  summary: "change one setting of the broker while it runs",
  arguments: [
    { name: "<setting>", summary: "url, or a setting name from merkle config list" },
    { name: "<value>", summary: 'new value, such as 20 or 10m; "none" removes the url' },
  ],
  flags: [
    {
      flags: "--local",
      summary: 'change a setting of this machine in its config.json; "none" removes it',
    },
  ],
  examples: [
    "merkle config set url https://mesh.example.com",
    "merkle config set idle_polls 20",
    "merkle config set quiet_after_s 15m",
    "merkle config set url https://192.168.1.5:7423 --local",
    'merkle config set name "Ana" --local',
    "merkle config set approvers 4f1d0c9a2b7e6d5843f0a1b2c3d4e5f6 --local",
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
  const setting = toSettingName(word);
  const change = toSettingValue(setting, text);
  const broker = await findBroker(config, signal);
  const { settings, base_url, connection_url } = await getPersonActor({ broker, config }).call(
    "update_settings",
    { settings: change },
  );
  const value = settings[setting];
  if (setting !== "public_url") {
    output.show({ setting, value }, `${output.mark.ok} ${setting} is ${formatSettingValue(setting, value)}`);
    return exitCodes.done;
  }
  output.show({ setting, value, base_url, connection_url }, `${output.mark.ok} agents use ${connection_url}`);
  output.note("  running agents keep their address until they reconnect");
  return exitCodes.done;
}

async function setLocal({ args: [word = "", text = ""], config, output }: CommandContext): Promise<number> {
  if (word === "approvers") return setApprovers(text, { config, output });
  const setting = await findLocalSetting(word);
  const key = requireKey(word, setting);
  if (config.agentShell !== undefined && word !== "url" && word !== "name")
    throw usageError(
      `${word} can only be set by a person, and this is an agent's shell. Run the command in your own terminal.`,
    );
  const path = homeFiles.config(config.home);
  const value = text === "none" ? undefined : toValue(word, text);
  await writeConfigValue(path, key, value);
  output.show(
    { setting: word, value: value ?? null, file: path },
    `${output.mark.ok} ${value === undefined ? `no ${word}` : `${word} ${toText(value)}`} in ${path}`,
  );
  if (word === "name") output.note("  if you have posted before, you keep your earlier name");
  const source = config.getSource(setting);
  if (source !== "default" && source !== path)
    output.note(`${output.mark.warn} ${source} takes precedence and is unchanged`);
  return exitCodes.done;
}

function requireKey(name: string, { key }: SettingSources): string {
  if (key !== undefined) return key.name;
  throw usageError(
    `${name} cannot be set in config.json. Use a flag or an environment variable.`,
    "merkle help environment",
  );
}

/**
 * Converts the text to a value for the settings file. Writing the file checks whether the setting accepts
 * that value.
 */
function toValue(name: string, text: string): unknown {
  if (name === "url") return toBaseUrl(text, name);
  if (name === "name") return toName(text);
  if (name === "trusted_proxies") return parseRanges({ value: text, name });
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" ? text : value;
  } catch {
    return text;
  }
}

/** Sets the devices that may approve. An agent must not choose who approves its own requests. */
async function setApprovers(
  text: string,
  { config, output }: Pick<CommandContext, "config" | "output">,
): Promise<number> {
  if (config.agentShell !== undefined)
    throw usageError(
      "Only a person can set approvers, and this is an agent's shell. Run the command in your own terminal.",
    );
  const devices = text === "none" ? [] : splitList([text]);
  await refuseBadDevices(devices, config.home);
  const path = homeFiles.config(config.home);
  await writeConfigValue(path, "approvers", devices.length === 0 ? undefined : devices);
  output.show(
    { setting: "approvers", value: devices, file: path },
    `${output.mark.ok} ${devices.length === 0 ? "no approvers" : `approvers ${devices.join(", ")}`} in ${path}`,
  );
  return exitCodes.done;
}

/**
 * Checks a name against the broker's rules, so that an invalid name is reported now rather than at the first
 * write.
 */
function toName(text: string): string {
  const { nameCharsMax } = limits;
  const name = normaliseName(text);
  const problem = describeNewNameDeception(name);
  if (problem !== null) throw usageError(`name must not ${problem}.`);
  if (name !== "" && name.length <= nameCharsMax) return name;
  throw usageError(
    `name must be one line of at most ${nameCharsMax} characters, got ${JSON.stringify(text)}.`,
  );
}
