import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { countClients, describeStopped } from "../broker/broker-facts.js";
import { announceBroker } from "../broker/run-file.js";
import type { CommandContext } from "../command/command.js";
import type { Output } from "../command/output.js";
import { type BrokerOptions, type Log, loadBroker, type StartedBroker } from "../core/broker-code.js";
import { exitCodes } from "../core/cli-error.js";
import { explainError } from "../core/explain-error.js";
import { explainHomeErrors, homeFiles } from "../core/merkle-home.js";
import { replaceFile } from "../core/replace-file.js";
import { waitForAbort } from "../core/wait-for-abort.js";
import { type Config, readEnvironment } from "../settings/config.js";
import type { DetachedBroker, FailedStart } from "./detach-broker.js";
import { packCli } from "./pack-cli.js";
import { endPageBuild, findPageBuild } from "./page-build.js";
import { findAddressSources, showStarted } from "./show-started.js";

/** A feature's additions to this home's broker: options, notices and facts. */
export interface BrokerAdditions {
  readonly options?: Partial<BrokerOptions>;
  /** Sentences to show to the person who starts the broker. */
  readonly notices?: readonly string[];
  /** Named facts that `merkle up` prints below the broker's addresses. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** Runs the broker in this process until it is interrupted, then stops it cleanly (OPS-6). */
export async function runBroker(
  context: CommandContext,
  { options, notices = [], facts = {} }: BrokerAdditions,
): Promise<number> {
  const { config, io, output } = context;
  const { createLog, lowerHelperThreads, startBroker } = await loadBroker();
  lowerHelperThreads();
  const echo = output.verbose ? (line: string) => io.stderr.write(`${line}\n`) : undefined;
  const file = createBrokerLog(homeFiles.log(config.home), echo);
  const log = createLog(file.write);
  const stopWatching = watchForCrash(log, output);
  for (const notice of config.notices) log.info(notice);
  try {
    for (const notice of notices) printNotice(notice, output, log);
    const { path: searchPath } = readEnvironment();
    const pageBuild = findPageBuild();
    const parts = {
      tls: toTls(config),
      dashboard: findDashboard(pageBuild !== undefined),
      pageBuild,
      packCli: pageBuild ? packAfterBuild(pageBuild) : packCli,
      searchPath,
      log,
    };
    const broker = await startBroker({ ...config, ...parts, ...options });
    return await serve(broker, { context, facts, log });
  } catch (error) {
    // Report the error directly to the parent process, because the file with this process's output may be on
    // a full disk.
    const { code, message, exitCode, next } = explainError(error);
    await sendToParent({ failure: { code, message, exitCode, next } });
    throw error;
  } finally {
    endPageBuild();
    stopWatching();
    file.close();
  }
}

function printNotice(notice: string, output: Output, log: Log): void {
  output.note(notice);
  log.warn(notice);
}

interface BrokerRun {
  readonly context: CommandContext;
  readonly facts: Readonly<Record<string, string>>;
  readonly log: Log;
}

async function serve(broker: StartedBroker, { context, facts, log }: BrokerRun): Promise<number> {
  const { config, output, signal } = context;
  try {
    const { running, withdraw } = await explainHomeErrors(config.home, () => announce(broker, config.home));
    const { firstInvite, backup, localhostTakenBy, keyPin } = broker;
    // If an agent starts the broker, the agent must not see a link that verifies a person.
    const verifyingLink = config.agentShell === undefined ? broker.verifyingLink : null;
    // With --detach, the parent process shows the links, because the output of this process is stored in a
    // file.
    const isWatched = process.send === undefined || readEnvironment().wasStartedByNodeWatch;
    if (!isWatched) {
      await sendToParent({
        first_invite: firstInvite,
        verifying_link: verifyingLink,
        backup,
        localhost_taken_by: localhostTakenBy,
        key_pin: keyPin,
        facts,
      });
    }
    showStarted(running, output, {
      stop: "Ctrl+C stops",
      firstInvite: isWatched ? firstInvite : null,
      verifyingLink: isWatched ? verifyingLink : null,
      backup,
      localhostTakenBy,
      keyPin,
      facts,
      addressSources: findAddressSources(config, running),
    });
    await Promise.race([waitForAbort(signal), broker.stopped]);
    const clients = signal.aborted ? await countClients(broker.url, config) : 0;
    await broker.stop();
    await withdraw();
    const reason = await broker.stopped;
    if (reason) throw reason;
    output.note(describeStopped(clients));
    return exitCodes.done;
  } catch (error) {
    log.error("the broker ended", { error });
    throw error;
  } finally {
    await broker.stop();
  }
}

/** Sends a message to the process that started this one, then disconnects from it. */
function sendToParent(message: DetachedBroker | FailedStart): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected) return resolve();
    process.send?.(message, undefined, undefined, () => {
      process.disconnect?.();
      resolve();
    });
  });
}

/**
 * Returns the TLS options. Stores the certificate for this machine's commands before the first connection is
 * accepted.
 */
function toTls({ tls, home }: Config): BrokerOptions["tls"] {
  if (!tls) return undefined;
  const path = homeFiles.certificate(home);
  return { ...tls, announce: ({ cert }) => explainHomeErrors(home, () => replaceFile(path, cert)) };
}

function announce(
  { url, mcpUrl, port, isLoopback: loopback, auth, database, migrationsRun }: StartedBroker,
  home: string,
) {
  return announceBroker({
    url,
    mcp_url: mcpUrl,
    port,
    loopback,
    auth,
    database,
    migrations_run: migrationsRun,
    home,
    log: homeFiles.log(home),
  });
}

/** Exits the process on an uncaught error. PostgreSQL keeps running, and the next start adopts it. */
function watchForCrash(log: Log, output: Output): () => void {
  const crash = (error: unknown) => {
    log.error("the broker crashed", { error });
    const cliError = explainError(error);
    output.error(cliError);
    process.exit(cliError.exitCode);
  };
  process.on("uncaughtException", crash);
  return () => {
    process.off("uncaughtException", crash);
  };
}

/**
 * Returns the folder with the dashboard's pages: next to this file in a bundle, or the build folder in a
 * checkout.
 */
function findDashboard(isBeingBuilt: boolean): string | undefined {
  const candidates = ["./dashboard", "../../../dashboard/out"];
  const folders = candidates.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return isBeingBuilt ? folders[1] : folders.find((folder) => existsSync(`${folder}/index.html`));
}

/**
 * Packs the CLI, which contains the pages, as soon as the pages have been built, because someone will
 * probably install the CLI soon.
 */
function packAfterBuild({ docs }: NonNullable<BrokerOptions["pageBuild"]>): () => Promise<Uint8Array> {
  const packing = docs.then(() => packCli());
  packing.catch(() => undefined);
  let first: Promise<Uint8Array> | undefined = packing;
  return () => {
    const packed = first ?? packCli();
    // The next request packs the CLI again, so a failed attempt is retried.
    first = undefined;
    return packed;
  };
}

/** A log file for the broker. */
interface BrokerLog {
  /** Writes a line synchronously, so that the last lines before the process exits are in the file. */
  write(line: string): void;
  close(): void;
}

const rotateAboveBytes = 10 * 1024 * 1024;

/**
 * Creates a log that only its owner can read. Opens the file when the first line is written, which a broker
 * does only after it has locked the home. A broker that cannot lock the home therefore does not touch another
 * broker's log.
 *
 * Lines that cannot be written, for example because the disk is full, are dropped.
 *
 * @param echo - also called with each line
 */
function createBrokerLog(path: string, echo?: (line: string) => void): BrokerLog {
  let file: number | undefined;
  return {
    write(line) {
      echo?.(line);
      try {
        file ??= openLog(path);
        writeSync(file, `${line}\n`);
      } catch {
        // Drop this line. Writing is tried again for the next line.
      }
    },
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/** Opens the log file. First renames a large log, replacing the previously renamed log. */
function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing && existing.size > rotateAboveBytes) renameSync(path, `${path}.1`);
  else if (existing) chmodSync(path, 0o600);
  return openSync(path, "a", 0o600);
}
