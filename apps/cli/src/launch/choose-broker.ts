import { type BrokerClient, findBroker } from "../broker/broker-client.js";
import type { Prompter } from "../command/ask.js";
import type { CommandContext } from "../command/command.js";
import { findFlag } from "../core/flags.js";
import { readConfig, readEnvironment } from "../settings/config.js";
import { requireTrusted } from "../settings/foreign-file.js";
import { formatCount } from "../text/time.js";
import { type LaunchOptions, readFolder } from "./launch-options.js";

/**
 * The broker for a launch, and its mesh. This machine's credentials for the mesh may be sent to this broker.
 */
export interface LaunchBroker {
  readonly broker: BrokerClient;
  readonly meshId: string;
}

/**
 * Finds the broker for a launch. @throws CliError `unreachable`; MerkleError `unauthorized` if this home has
 * stored a different address for the mesh
 */
export async function chooseBroker({
  config,
  signal,
}: Pick<CommandContext, "config" | "signal">): Promise<LaunchBroker> {
  const broker = await findBroker(config, signal);
  return { broker, meshId: await broker.getTrustedMeshId() };
}

/** Applies the settings of the project in the `--cwd` folder, as if the launch had been started there. */
export async function applyFolderSettings(context: CommandContext): Promise<CommandContext> {
  const { flags, config, output } = context;
  const named = findFlag(flags, "cwd");
  if (named === undefined) return context;
  const env = { ...readEnvironment().variables, MERKLE_HOME: config.home };
  const folderConfig = await readConfig({ flags, env, cwd: readFolder(named) });
  for (const notice of folderConfig.notices) output.note(notice);
  requireTrusted(folderConfig);
  return { ...context, config: { ...config, ...folderConfig } };
}

/**
 * Asks the user for a mesh if no setting names one and the broker is in open mode with several meshes
 * (MESH-7).
 */
export async function askMesh(
  context: CommandContext,
  options: LaunchOptions,
  prompter: Prompter | null,
): Promise<CommandContext> {
  const { config, signal } = context;
  if (!prompter || config.mesh !== undefined || options.session !== undefined) return context;
  const broker = await findBroker(config, signal);
  const { auth } = await broker.call("get_app_info", {});
  if (auth !== "open") return context;
  const { meshes } = await broker.call("list_meshes", {});
  if (meshes.length < 2) return context;
  const choices = meshes.map(({ name, sessions, peers_online: online }) => ({
    value: name,
    name: `${name}   ${formatCount(sessions, "session")}, ${formatCount(online, "agent")} online`,
  }));
  const mesh = await prompter.choose({
    message: "Mesh",
    listChoices: async (typed) => choices.filter(({ value }) => value.includes(typed)),
    default: "main",
  });
  return { ...context, config: { ...config, mesh } };
}
