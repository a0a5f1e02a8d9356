import { toInstallLine } from "@merkle/wire/text";
import type { RunningBroker } from "../broker/run-file.js";
import { getMerkleCommand, launcherByPath } from "../command/merkle-command.js";
import type { Output } from "../command/output.js";
import { toBaseUrl } from "../core/address.js";
import { describeMissingPath, getLauncherPath } from "../core/user-launcher.js";
import { type Config, readEnvironment } from "../settings/config.js";
import { settings } from "../settings/settings.js";
import { formatCount } from "../text/time.js";

interface StartedFacts {
  /** A phrase with the command that stops the broker. */
  readonly stop: string;
  /** The invite link for the first admin, if there is no admin yet. */
  readonly firstInvite: string | null;
  /** The link that verifies the person who opens it in a browser. Null in invite mode. */
  readonly verifyingLink: string | null;
  /** The path of the backup that was made before this start migrated the database. */
  readonly backup: string | null;
  /**
   * Describes another program that listens on the same port of [::1], to which `localhost` may resolve. Null
   * if there is none.
   */
  readonly localhostTakenBy: string | null;
  /**
   * The pin of the certificate's public key, with which curl can verify the broker. Null without TLS, or if a
   * public authority signed the certificate.
   */
  readonly keyPin: string | null;
  /** Named facts that features report. */
  readonly facts: Readonly<Record<string, string>>;
  /**
   * The variables, with their files, that set the port and the address for agents. A field is undefined if no
   * variable sets it.
   */
  readonly addressSources: AddressSources;
}

interface AddressSources {
  readonly port?: string | undefined;
  readonly publicUrl?: string | undefined;
}

/**
 * Returns the variables that configured the broker. An address in the broker's settings takes precedence over
 * a variable.
 */
export function findAddressSources(
  { publicUrl, getSource }: Config,
  { mcp_url: mcpUrl }: RunningBroker,
): AddressSources {
  const isUsed =
    publicUrl !== undefined && toBaseUrl(publicUrl, "public_url") === toBaseUrl(mcpUrl, "the broker");
  return {
    port: findVariableName(getSource(settings.port)),
    publicUrl: isUsed ? findVariableName(getSource(settings.publicUrl)) : undefined,
  };
}

function findVariableName(source: string): string | undefined {
  return source === "default" || source.startsWith("--") ? undefined : source;
}

/** Prints that the broker accepts calls, which addresses it has, who may connect, and the next steps. */
export function showStarted(
  started: RunningBroker,
  output: Output,
  { stop, firstInvite, verifyingLink, backup, localhostTakenBy, keyPin, facts, addressSources }: StartedFacts,
): void {
  const { url, mcp_url: mcpUrl, auth, migrations_run: migrationsRun } = started;
  const { mark, dim, dot } = output;
  const width = Math.max(url.length, mcpUrl.length) + 2;
  const ran = migrationsRun === 0 ? "" : `${formatCount(migrationsRun, "migration")} run, `;
  const { text: reach, mark: reachMark } = describeReach(started, output);
  output.show(
    {
      ...started,
      ...(firstInvite !== null && { first_invite: firstInvite }),
      ...(verifyingLink !== null && { verifying_link: verifyingLink }),
      ...(backup !== null && { backup }),
      ...(localhostTakenBy !== null && { localhost_taken_by: localhostTakenBy }),
      ...facts,
    },
    [
      `${mark.ok} database ready, ${ran}0 migrations pending`,
      ...(backup === null ? [] : [`${mark.ok} backed up  ${backup}  ${dim("made before the migrations")}`]),
      `${reachMark} broker     ${url.padEnd(width)}${dim([reach, ...(addressSources.port ? [`port from ${addressSources.port}`] : [])].join(", "))}`,
      ...(localhostTakenBy === null
        ? []
        : [`${mark.warn} localhost  may reach ${localhostTakenBy} at [::1]:${started.port}: use 127.0.0.1`]),
      `${mark.ok} agents use ${mcpUrl.padEnd(width)}${dim(`${addressSources.publicUrl ? `from ${addressSources.publicUrl}; ` : ""}change: merkle config set url <url>`)}`,
      ...Object.entries(facts).map(([name, text]) => `${mark.ok} ${name.padEnd(10)} ${text}`),
      ...(verifyingLink === null
        ? []
        : [
            `${mark.ok} you open   ${verifyingLink}  ${dim("one-time link, valid 24 h: makes you the owner")}`,
          ]),
      ...(firstInvite === null
        ? []
        : [`${mark.ok} first admin ${firstInvite}  ${dim("one use, valid 24 h. Keep it private")}`]),
    ].join("\n"),
  );
  const steps = firstInvite !== null ? ["merkle join -", stop] : toSteps(auth, stop);
  output.note(`  next: ${steps.join(`   ${dot}   `)}`);
  const install = describeInstall(url, keyPin);
  if (install !== null) output.note(`        ${install}`);
  output.note(`        for other agents: ${mcpUrl.replace(/(?:\/api)?\/mcp$/, "")}/agents.md`);
}

/** Describes how to make `merkle` a command in the user's shell. Null if it already is one. */
function describeInstall(url: string, keyPin: string | null): string | null {
  const { variables, path } = readEnvironment();
  const merkle = getMerkleCommand(variables);
  if (merkle === "merkle") return null;
  if (merkle === launcherByPath)
    return `to put merkle on your PATH: ${describeMissingPath(getLauncherPath(variables["HOME"]), path)}`;
  const line = toInstallLine({ base: url, keyPin });
  return line && `to install the merkle command, in another terminal: ${line}`;
}

function toSteps(auth: RunningBroker["auth"], stop: string): string[] {
  return auth === "open"
    ? ["merkle demo", "merkle launch", stop]
    : ["merkle launch", "merkle invite <session>", stop];
}

function describeReach({ loopback, auth }: RunningBroker, { mark }: Output): { text: string; mark: string } {
  if (auth === "invite") {
    const where = loopback ? "loopback" : "reachable from other machines";
    return { text: `invite mode: ${where}, only members can connect`, mark: mark.ok };
  }
  if (loopback) return { text: "loopback only", mark: mark.ok };
  return { text: "open to the network: anyone who can reach it can connect", mark: mark.warn };
}
