import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { isClearText } from "@merkle/wire/text";
import { openHttp } from "../broker/http-request.js";
import { prepareTls, toReach } from "../broker/reach.js";
import { askYesOrNo, canAsk } from "../command/ask.js";
import type { CommandContext } from "../command/command.js";
import { findCheckout } from "../command/merkle-command.js";
import { toBaseUrl } from "../core/address.js";
import { CliError, exitCodes, interruptedError, usageError } from "../core/cli-error.js";
import { findFlag, isSet } from "../core/flags.js";
import { sha256 } from "../core/sha256.js";
import { readVersion } from "../core/this-program.js";
import { toShellWord } from "../text/shell.js";
import { type InstalledCli, readInstalledCli } from "./cli-program.js";

const run = promisify(execFile);
const packageBytesMax = 50 * 1024 * 1024;

/**
 * Replaces the installed CLI with the package of the broker that it came from, or of the broker in `--from`.
 * Shows host, version and hash, and asks for confirmation unless `--yes` is set.
 */
export async function upgradeCli(context: CommandContext): Promise<number> {
  const { config, flags, output } = context;
  const base = findSource(flags, readInstalledCli(config.home));
  if (isClearText(base)) {
    throw usageError(
      `Programs are downloaded only over https or from this machine, got ${base}: over plain http, anyone on the network could replace it.`,
    );
  }
  const bytes = await downloadPackage(base, context);
  const folder = await mkdtemp(join(tmpdir(), "merkle-upgrade-"));
  try {
    const { program, version } = await unpack(bytes, folder, base);
    const digest = sha256(bytes);
    output.note(
      `  merkle ${version} from ${new URL(base).host}; this is ${readVersion()}\n  SHA-256 ${digest}`,
    );
    if (!isSet(flags, "yes")) {
      if (!canAsk(context)) throw usageError("merkle upgrade --cli needs -y when there is no terminal.");
      if (!(await askYesOrNo("Install this program?", context))) throw interruptedError();
    }
    const ca = config.ca === undefined ? [] : ["--ca", config.ca];
    await run(process.execPath, [program, "install", "--cli", "--from", base, ...ca, "--quiet"], {
      cwd: folder,
      env: { ...config.environment, MERKLE_HOME: config.home },
    });
    output.show({ version, from: base, sha256: digest }, `${output.mark.ok} merkle ${version} is installed`);
    return exitCodes.done;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function findSource(flags: CommandContext["flags"], installed: InstalledCli | undefined): string {
  const named = findFlag(flags, "from");
  if (named !== undefined) return toBaseUrl(named, "--from");
  const checkout = findCheckout();
  if (checkout !== undefined) {
    throw usageError(
      `This merkle runs from the checkout ${checkout}, which is upgraded by Git.`,
      `cd ${toShellWord(checkout)} && git pull && npm start`,
    );
  }
  if (installed?.from) return installed.from;
  throw usageError(
    "This merkle was not installed from a broker. Name the broker to install from.",
    "merkle upgrade --cli --from https://mesh.example.com",
  );
}

async function downloadPackage(base: string, { config, signal }: CommandContext): Promise<Buffer> {
  const trust = await prepareTls(base, toReach(config));
  const until = Date.now() + 120_000;
  for (;;) {
    const response = await openHttp(`${base}/cli.tgz`, { tls: trust?.(), signal });
    // The broker builds the package when it is first requested.
    if (response.statusCode === 503 && Date.now() < until) {
      response.resume();
      await delay(2_000, undefined, { signal });
      continue;
    }
    if (response.statusCode !== 200) {
      response.resume();
      throw new CliError(
        "not_found",
        `${base} has no merkle command to download (HTTP ${response.statusCode}).`,
        {
          exitCode: exitCodes.not_found,
          next: ["ask the person who runs the broker to upgrade it"],
        },
      );
    }
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response) {
      size += chunk.length;
      if (size > packageBytesMax) {
        response.destroy();
        throw new CliError(
          "payload_too_large",
          `The package of ${base} is larger than 50 MiB. Nothing was changed.`,
          {
            exitCode: exitCodes.refused,
          },
        );
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
}

/** Unpacks the package. @throws CliError `bad_package` if the package is not merkle's */
async function unpack(
  bytes: Buffer,
  folder: string,
  base: string,
): Promise<{ program: string; version: string }> {
  const { extract } = await import("tar");
  try {
    const file = join(folder, "cli.tgz");
    await writeFile(file, bytes);
    await extract({ file, cwd: folder, strict: true });
    const { name, version } = JSON.parse(await readFile(join(folder, "package/package.json"), "utf8"));
    if (typeof version !== "string" || typeof name !== "string") throw new TypeError("no version");
    return { program: join(folder, "package/bin/merkle.mjs"), version };
  } catch (error) {
    throw new CliError("bad_package", `${base}/cli.tgz is not a merkle package. Nothing was changed.`, {
      exitCode: exitCodes.refused,
      cause: error,
    });
  }
}
