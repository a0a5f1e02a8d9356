import { findBroker } from "../broker/broker-client.js";
import { readHealth } from "../broker/broker-facts.js";
import type { Command } from "../command/command.js";
import { toSessionPath } from "../core/address.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { isSet } from "../core/flags.js";
import { getOpeningLink, openPage, toPageUrl } from "../identity/open-page.js";
import { getSession } from "../sessions/find-session.js";
import type { Config } from "../settings/config.js";

export const open: Command = {
  name: "open",
  summary: "open the dashboard in the browser and print its address",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: all sessions)" }],
  flags: [{ flags: "--print", summary: "only print a link that signs in or verifies" }],
  examples: ["merkle open", "merkle open split-auth", "merkle open --print"],
  async run(context) {
    const { args, flags, config, output, signal } = context;
    const broker = await findBroker(config, signal);
    const isOneSession = args[0] !== undefined || config.session !== undefined;
    if (!isOneSession) await readHealth(broker);
    const path = isOneSession ? toSessionPath(await getSession(broker, args[0], config)) : "/";
    const page = isOneSession || config.mesh !== undefined ? path : null;
    if (!isSet(flags, "print")) return openPage(context, broker, page);
    const link = await getOpeningLink(
      broker,
      page === null ? null : await toPageUrl(broker, page, config),
      config,
    );
    if (link === null) throw noLink(config);
    output.show({ url: link }, link);
    return exitCodes.done;
  },
};

function noLink({ home, agentShell }: Pick<Config, "home" | "agentShell">): CliError {
  const reason =
    agentShell === undefined
      ? `The broker for ${home} is not running, or is not this one. Only the person who runs a broker can create these links.`
      : `This is an agent's shell (${agentShell}). Agents cannot verify a person.`;
  return new CliError("forbidden", reason, {
    exitCode: exitCodes.refused,
    next: ["merkle open --print, in your own terminal on the broker's machine"],
  });
}
