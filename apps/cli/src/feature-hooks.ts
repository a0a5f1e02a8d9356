import type { BrokerClient } from "./broker/broker-client.js";
import type { CommandContext } from "./command/command.js";
import { usageError } from "./core/cli-error.js";
import type { AskAtLaunch, ConcludedSession, Feature, FeatureEntry, FeatureSetting } from "./feature.js";
import { features } from "./features.js";
import type { AttachFiles } from "./feed/attach-files.js";
import type { CheckConcluded } from "./feed/tail/run-tail.js";
import type { OwnWordsPart } from "./identity/own-words.js";
import type { AskForPermission } from "./launch/launch-agent.js";
import type { CreateExtension } from "./mcp/extension.js";
import type { Config } from "./settings/config.js";
import type { ForeignFile } from "./settings/foreign-file.js";
import type { DoctorCheck } from "./start/doctor/check.js";
import type { BrokerAdditions } from "./start/run-broker.js";

/** Collects the options, notices and facts that features add to this home's broker. */
export async function prepareBroker(config: Config): Promise<Required<BrokerAdditions>> {
  const all: BrokerAdditions[] = [];
  for (const feature of await loadFeatures()) {
    if (feature.prepareBroker) all.push(await feature.prepareBroker(config));
  }
  return {
    options: Object.assign({}, ...all.map(({ options }) => options)),
    notices: all.flatMap(({ notices = [] }) => notices),
    facts: Object.assign({}, ...all.map(({ facts }) => facts)),
  };
}

/** Returns the features' settings for this machine, by name. */
export async function listFeatureSettings(): Promise<Readonly<Record<string, FeatureSetting>>> {
  return Object.assign({}, ...(await loadFeatures()).map(({ settings }) => settings));
}

/** Returns a project's files that contain settings for features. */
export async function findForeignFiles(project: Pick<Config, "environment" | "cwd">): Promise<ForeignFile[]> {
  const files: ForeignFile[] = [];
  for (const { findForeignFile } of await loadFeatures()) {
    const file = await findForeignFile?.(project);
    if (file) files.push(file);
  }
  return files;
}

/** Returns the checks that features add to `merkle doctor`. */
export async function listChecks(): Promise<readonly DoctorCheck[]> {
  return (await loadFeatures()).flatMap(({ checks = [] }) => checks);
}

/** Starts an agent that drafts a session's conclusion. @throws CliError `usage` if no feature can do this */
export async function draftConclusion(context: CommandContext, session: ConcludedSession): Promise<number> {
  const feature = (await loadFeatures()).find((each) => each.draftConclusion);
  if (feature?.draftConclusion) return feature.draftConclusion(context, session);
  throw usageError("This build of merkle runs no agents, so --draft is not available.");
}

/** Loads the parts that features add to the MCP server. */
export async function loadExtensions(): Promise<readonly CreateExtension[]> {
  const all = await loadFeatures();
  return Promise.all(all.flatMap(({ loadExtension }) => loadExtension?.() ?? []));
}

/** Loads what makes a person's words count for the person's own agents. Undefined in a build without it. */
export async function loadOwnWords(): Promise<OwnWordsPart | undefined> {
  const feature = (await loadFeatures()).find((each) => each.loadOwnWords);
  return feature?.loadOwnWords?.();
}

/** Uploads the files that a command attaches to a message. @throws CliError `usage` in a build without attachments */
export const attachFiles: AttachFiles = async (paths, post) => {
  const feature = (await loadFeatures()).find((each) => each.attachFiles);
  if (feature?.attachFiles) return feature.attachFiles(paths, post);
  throw usageError("This build of merkle attaches no files, so --file is not available.");
};

/** Asks a launched agent's person for a permission. Resolves with undefined in a build without approvals. */
export const askForPermission: AskForPermission = async (call) => {
  const feature = (await loadFeatures()).find((each) => each.askForPermission);
  return feature?.askForPermission?.(call);
};

/** Asks what features ask before a launch. */
export const askAtLaunch: AskAtLaunch = async (prompter, launch) => {
  for (const feature of await loadFeatures()) await feature.askAtLaunch?.(prompter, launch);
};

/** Returns the first problem that any feature finds with a conclusion, or null. */
export const checkConcluded: CheckConcluded = async (message, where) => {
  for (const feature of await loadFeatures()) {
    const problem = await feature.checkConcluded?.(message, where);
    if (problem) return problem;
  }
  return null;
};

/** Lists the files that features suggest as completions of `<root/path>`. */
export async function listFiles(broker: Pick<BrokerClient, "call">): Promise<string[]> {
  const lists = (await loadFeatures()).map((feature) => feature.listFiles?.(broker) ?? []);
  return (await Promise.all(lists)).flat();
}

async function loadFeatures(): Promise<readonly Feature[]> {
  const entries: readonly FeatureEntry[] = await Promise.all(Object.values(features).map((load) => load()));
  return entries.map(({ feature }) => feature);
}
