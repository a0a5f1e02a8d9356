import type { Command } from "../command/command.js";
import { isSet } from "../command/flags.js";
import type { Config } from "../config.js";
import { CliError, exitCodes } from "../core/cli-error.js";

export const open: Command = {
  name: "open",
  summary: "open the dashboard in the browser, and print its address",
  arguments: [{ name: "[session]", summary: "slug, id or exact title; all sessions unless told" }],
  flags: [{ flags: "--print", summary: "print a link that signs in or verifies, and open nothing" }],
  examples: ["merkle open", "merkle open split-auth", "merkle open --print"],
  async run({ args: [name], flags, config, output, signal }) {
    const { findBroker } = await import("../broker/broker-client.js");
    const { readHealth } = await import("../broker/broker-facts.js");
    const { getSession } = await import("../sessions/find-session.js");
    const { toDashboardUrl } = await import("../dashboard-url.js");
    const { browserOf, openBrowser } = await import("../core/open-browser.js");
    const broker = await findBroker(config, signal);
    const wanted = name ?? config.session;
    if (wanted === undefined) await readHealth(broker);
    const url = toDashboardUrl(
      broker.base,
      wanted === undefined ? undefined : await getSession(broker, name, config),
    );
    const { getOpeningLink, writeLeadingPage } = await import("../member/sign-in-link.js");
    const page = wanted === undefined ? null : url;
    if (isSet(flags, "print")) {
      const link = await getOpeningLink(broker, page, config);
      if (link === null) throw noLink(config);
      output.show({ url: link }, link);
      return exitCodes.done;
    }
    output.show({ url }, url);
    if (output.json) return exitCodes.done;
    const link = await getOpeningLink(broker, page, config);
    const browser = browserOf(process.env, process.platform);
    const place = link === null || !browser ? url : await writeLeadingPage(config.home, link);
    if (browser && (await openBrowser(browser, place))) return exitCodes.done;
    if (browser) output.note(`  ${browser.command} did not open it; set BROWSER to what does`);
    else output.note("  no browser here; open it where you sit");
    // It lets in whoever has it, so it goes to a terminal alone, never into a file or a log.
    if (link !== null && process.stderr.isTTY)
      output.note(`  lets one browser in, within five minutes: ${link}`);
    return exitCodes.done;
  },
};

function noLink({ home, agentShell }: Pick<Config, "home" | "agentShell">): CliError {
  const reason =
    agentShell === undefined
      ? `The broker of ${home} is another one or does not run, and only whoever runs a broker makes such links.`
      : `This is an agent's shell (${agentShell}), and what makes somebody a verified human is not for agents.`;
  return new CliError("forbidden", reason, {
    exitCode: exitCodes.refused,
    next: ["merkle open --print, in a shell of your own on the broker's machine"],
  });
}
