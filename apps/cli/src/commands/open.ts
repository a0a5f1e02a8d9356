import { exitCodes } from "../cli-error.js";
import type { Command } from "../command.js";

export const open: Command = {
  name: "open",
  summary: "open the dashboard in the browser, and print its address",
  arguments: [{ name: "[session]", summary: "slug, id or exact title; all sessions unless told" }],
  examples: ["merkle open", "merkle open split-auth", "merkle open split-auth --json"],
  async run({ args: [name], config, output, signal }) {
    const { findBroker } = await import("../broker-client.js");
    const { readHealth } = await import("../broker-facts.js");
    const { getSession } = await import("../find-session.js");
    const { toDashboardUrl } = await import("../dashboard-url.js");
    const { browserOf, openBrowser } = await import("../open-browser.js");
    const broker = await findBroker(config, signal);
    const wanted = name ?? config.session;
    if (wanted === undefined) await readHealth(broker);
    const url = toDashboardUrl(
      broker.base,
      wanted === undefined ? undefined : await getSession(broker, name, config),
    );
    output.show({ url }, url);
    if (output.json) return exitCodes.done;
    const { getSignInLink, writeLeadingPage } = await import("../member/sign-in-link.js");
    const link = await getSignInLink(broker, wanted === undefined ? null : url);
    const browser = browserOf(process.env, process.platform);
    const place = link === null || !browser ? url : await writeLeadingPage(config.home, link);
    if (browser && (await openBrowser(browser, place))) return exitCodes.done;
    if (browser) output.note(`  ${browser.command} did not open it; set BROWSER to what does`);
    else output.note("  no browser here; open it where you sit");
    // It lets in whoever has it, so it goes to a terminal alone, never into a file or a log.
    if (link !== null && process.stderr.isTTY)
      output.note(`  signs one browser in, within five minutes: ${link}`);
    return exitCodes.done;
  },
};
