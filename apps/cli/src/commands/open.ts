import { writeFile } from "node:fs/promises";
import { type BrokerClient, findBroker } from "../broker/broker-client.js";
import { readHealth } from "../broker/broker-facts.js";
import type { Command } from "../command/command.js";
import { toDashboardUrl } from "../core/address.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { isSet } from "../core/flags.js";
import { explainHomeErrors, homeFiles } from "../core/merkle-home.js";
import { findBrowser, openBrowser } from "../core/open-browser.js";
import { findVerificationCode } from "../identity/own-person.js";
import { getSession } from "../sessions/find-session.js";
import type { Config } from "../settings/config.js";

export const open: Command = {
  name: "open",
  summary: "open the dashboard in the browser and print its address",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: all sessions)" }],
  flags: [{ flags: "--print", summary: "only print a link that signs in or verifies" }],
  examples: ["merkle open", "merkle open split-auth", "merkle open --print"],
  async run({ args: [name], flags, config, io, output, signal }) {
    const broker = await findBroker(config, signal);
    const sessionName = name ?? config.session;
    if (sessionName === undefined) await readHealth(broker);
    const at = toDashboardUrl(
      broker.base,
      sessionName === undefined ? undefined : await getSession(broker, name, config),
    );
    const url = toMeshPage(at, await findOpenMesh(broker, config));
    const page = sessionName === undefined && config.mesh === undefined ? null : url;
    if (isSet(flags, "print")) {
      const link = await getOpeningLink(broker, page, config);
      if (link === null) throw noLink(config);
      output.show({ url: link }, link);
      return exitCodes.done;
    }
    output.show({ url }, url);
    if (output.json) return exitCodes.done;
    const link = await getOpeningLink(broker, page, config);
    const browser = findBrowser(io.env);
    const target = link === null || !browser ? url : await writeLeadingPage(config.home, link);
    if (browser && (await openBrowser(browser, target))) return exitCodes.done;
    if (browser) output.note(`  ${browser.command} did not open it; set BROWSER to your browser's command`);
    else output.note("  no browser on this machine; open the link on yours");
    // Anyone with the link can sign in, so it is printed only to a terminal, never to a file or a log.
    if (link !== null && io.stderr.isTTY)
      output.note(`  signs in one browser, valid for five minutes: ${link}`);
    return exitCodes.done;
  },
};

/**
 * Returns the mesh to put in the page's address. In invite mode the sign-in already selects the mesh, so the
 * address needs no parameter.
 */
async function findOpenMesh(
  broker: BrokerClient,
  { mesh }: Pick<Config, "mesh">,
): Promise<string | undefined> {
  if (mesh === undefined) return undefined;
  const { auth } = await broker.call("get_app_info", {});
  return auth === "open" ? mesh : undefined;
}

function toMeshPage(page: string, mesh: string | undefined): string {
  return mesh === undefined ? page : `${page}?mesh=${encodeURIComponent(mesh)}`;
}

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

/** The lifetime of a sign-in link, which is long enough for a browser to start. */
const signInSeconds = 5 * 60;

/**
 * Returns a link that signs a browser in or, in open mode, verifies its user. The link opens `page`, or the
 * list of sessions if `page` is null. Returns null if this command cannot verify anyone; the caller then uses
 * the page's plain address.
 */
async function getOpeningLink(
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
