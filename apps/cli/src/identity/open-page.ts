import { writeFile } from "node:fs/promises";
import type { BrokerClient } from "../broker/broker-client.js";
import type { CommandContext } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { explainHomeErrors, homeFiles } from "../core/merkle-home.js";
import { findBrowser, openBrowser } from "../core/open-browser.js";
import type { Config } from "../settings/config.js";
import { findVerificationCode } from "./own-person.js";

type OpeningContext = Pick<CommandContext, "config" | "io" | "output">;

/**
 * Opens a page of the dashboard in the browser and prints its address. Signs the browser in, or verifies its
 * user, if this home can. Returns the exit code.
 *
 * @param path - the page, such as `/agents`; null for the list of sessions of the link's own mesh
 */
export async function openPage(
  { config, io, output }: OpeningContext,
  broker: BrokerClient,
  path: string | null,
): Promise<number> {
  const url = await toPageUrl(broker, path ?? "/", config);
  output.show({ url }, url);
  if (output.json) return exitCodes.done;
  const link = await getOpeningLink(broker, path === null ? null : url, config);
  const browser = findBrowser(io.env);
  const target = link === null || !browser ? url : await writeLeadingPage(config.home, link);
  if (browser && (await openBrowser(browser, target))) return exitCodes.done;
  if (browser) output.note(`  ${browser.command} did not open it; set BROWSER to your browser's command`);
  else output.note("  no browser on this machine; open the link on yours");
  // Anyone with the link can sign in, so it is printed only to a terminal, never to a file or a log.
  if (link !== null && io.stderr.isTTY)
    output.note(`  signs in one browser, valid for five minutes: ${link}`);
  return exitCodes.done;
}

/**
 * Returns the address of a page, with the mesh if one is configured. In invite mode the sign-in already
 * selects the mesh, so the address needs no parameter.
 */
export async function toPageUrl(
  broker: BrokerClient,
  path: string,
  { mesh }: Pick<Config, "mesh">,
): Promise<string> {
  const url = `${broker.base}${path}`;
  if (mesh === undefined) return url;
  const { auth } = await broker.call("get_app_info", {});
  if (auth !== "open") return url;
  return `${url}${path.includes("?") ? "&" : "?"}mesh=${encodeURIComponent(mesh)}`;
}

/** The lifetime of a sign-in link, which is long enough for a browser to start. */
const signInSeconds = 5 * 60;

/**
 * Returns a link that signs a browser in or, in open mode, verifies its user. The link opens `page`, or the
 * list of sessions if `page` is null. Returns null if this command cannot verify anyone; the caller then uses
 * the page's plain address.
 */
export async function getOpeningLink(
  broker: BrokerClient,
  page: string | null,
  config: Pick<Config, "home" | "agentShell">,
): Promise<string | null> {
  const { auth } = await broker.call("get_app_info", {});
  if (auth === "open") {
    const verification = await findVerificationCode(broker, config);
    return verification && page !== null
      ? `${page}#verify=${verification.code}`
      : (verification?.link ?? null);
  }
  if (config.agentShell !== undefined) return null;
  const { token, link } = await broker.call("issue_token", { kind: "sign_in", expires_in_s: signInSeconds });
  return page === null ? link : `${page}#sign-in=${token}`;
}

/**
 * Writes a local page that redirects a browser to an address with a secret. Every program on the machine can
 * see a browser's arguments, so the secret must not be in them. Only this user can read the page, and the
 * link in it works once.
 */
async function writeLeadingPage(home: string, link: string): Promise<string> {
  const path = homeFiles.redirectPage(home);
  const target = JSON.stringify(link).replaceAll("<", "\\u003c");
  const page = `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>Merkle</title>
<p>Opening Merkle…</p>
<script>location.replace(${target});</script>
`;
  await explainHomeErrors(home, () => writeFile(path, page, { mode: 0o600 }));
  return path;
}
