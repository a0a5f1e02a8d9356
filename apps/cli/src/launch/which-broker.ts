import { type BrokerClient, findBroker } from "../broker/broker-client.js";
import type { Prompter } from "../command/ask.js";
import type { CommandContext } from "../command/command.js";
import { textOf } from "../core/flags.js";
import { readConfig, readEnvironment } from "../settings/config.js";
import { refuseUntrusted } from "../settings/foreign-file.js";
import { counted } from "../text/time.js";
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
  return { broker, meshId: await broker.meetMesh() };
}

/** Applies the settings of the project in the `--cwd` folder, as if the launch had been started there. */
export async function useFolder(context: CommandContext): Promise<CommandContext> {
  const { flags, config, output } = context;
  const named = textOf(flags, "cwd");
  if (named === undefined) return context;
  const env = { ...readEnvironment().variables, MERKLE_HOME: config.home };
  const read = await readConfig({ flags, env, cwd: readFolder(named) });
  for (const notice of read.notices) output.note(notice);
  refuseUntrusted(read);
  return { ...context, config: { ...config, ...read } };
}

/**
 * Asks the user for a mesh if no setting names one and the broker is in open mode with several meshes
 * (MESH-7).
 */
export async function askMesh(
  context: CommandContext,
  wanted: LaunchOptions,
  prompter: Prompter | null,
): Promise<CommandContext> {
  const { config, signal } = context;
  if (!prompter || config.mesh !== undefined || wanted.session !== undefined) return context;
  const broker = await findBroker(config, signal);
  const { auth } = await broker.call("get_app_info", {});
  if (auth !== "open") return context;
  const { meshes } = await broker.call("list_meshes", {});
  if (meshes.length < 2) return context;
  const choices = meshes.map(({ name, sessions, peers_online: online }) => ({
    value: name,
    name: `${name}   ${counted(sessions, "session")}, ${counted(online, "agent")} online`,
  }));
  const mesh = await prompter.oneOf({
    message: "Mesh",
    choices: async (typed) => choices.filter(({ value }) => value.includes(typed)),
    default: "main",
  });
  return { ...context, config: { ...config, mesh } };
}
