import { join } from "node:path";
import { MerkleError } from "@merkle/wire";
import { findBroker } from "../broker/broker-client.js";
import { isSuccessorOf, requestProof } from "../broker/broker-proof.js";
import { getAddressKey } from "../broker/reach.js";
import { isFirstSeen, type TrustedAddress } from "../broker/trust.js";
import { askToTrust, confirmTrust, requirePerson } from "../command/ask-to-trust.js";
import type { Command, CommandContext } from "../command/command.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { findFlag } from "../core/flags.js";
import { homeFiles } from "../core/merkle-home.js";
import { findForeignFiles, listFeatureSettings } from "../feature-hooks.js";
import { findKnownMesh, type KnownMesh, listKnownMeshes, saveKnownMesh } from "../home/known-meshes.js";
import { listMembers } from "../home/members.js";
import { readConfig } from "../settings/config.js";
import { findForeignEnvFiles, readEnvFiles } from "../settings/env-files.js";
import { type ForeignFile, isTrusted } from "../settings/foreign-file.js";

export const trust: Command = {
  name: "trust",
  summary: "trust this project's settings, or a broker that has moved",
  examples: ["merkle trust", "merkle trust --url https://mesh.example.com"],
  offline: true,
  async run(context) {
    const { io, output } = context;
    requirePerson(context, { what: "merkle trust", run: `cd ${io.cwd} && merkle trust` });
    const trusted = await trustProject(context);
    const lines = trusted.map(
      (each) => `${output.mark.ok} trusted: ${"file" in each ? each.file : each.broker}`,
    );
    output.show({ trusted }, lines.join("\n") || "There is nothing to trust here.");
    return exitCodes.done;
  },
};

/** An item that the person has confirmed, and that is therefore trusted from now on. */
type TrustedItem =
  | { readonly file: string }
  | { readonly broker: string; readonly meshes: readonly string[] };

/**
 * Asks the person at the terminal about everything untrusted here: the project's files, and then about a
 * broker for which this home has stored a different address. Any answer except yes changes nothing (CLI-82,
 * CLI-83).
 */
async function trustProject(context: CommandContext): Promise<TrustedItem[]> {
  const { config, flags, io, signal } = context;
  const featureSettings = Object.values(await listFeatureSettings());
  const sources = { flags, env: io.env, cwd: io.cwd, featureSettings };
  const { home } = config;
  const trusted: TrustedItem[] = [];
  async function askOnce(file: ForeignFile | undefined): Promise<void> {
    if (!file || isTrusted(home, file)) return;
    await askToTrust(home, { file, context });
    trusted.push({ file: file.path });
  }
  await askOnce(config.untrusted);
  for (const file of findForeignEnvFiles(sources)) await askOnce(file);
  // The settings files of features can contain variables from the `.env` files.
  const { env } = readEnvFiles({ ...sources, home });
  for (const file of await findForeignFiles({ environment: env, cwd: sources.cwd })) await askOnce(file);
  // A newly trusted file may name another broker.
  const freshConfig = await readConfig(sources);
  const broker = await findBroker(freshConfig, signal);
  const moved = await findMovedBroker({ ...broker.address, home: freshConfig.home }).catch(
    (error: unknown) => {
      // If no broker can be reached, there is nothing to ask about. Report the failure only if the user named a
      // broker.
      if (findFlag(flags, "url") !== undefined || isExpectedError(error)) throw error;
      return null;
    },
  );
  if (!moved) return trusted;
  await confirmTrust(`${moved.question}\nSend it this machine's credentials for that broker?`, context);
  for (const mesh of moved.meshes) saveKnownMesh(freshConfig.home, mesh);
  trusted.push({ broker: broker.base, meshes: moved.meshes.map((each) => each.mesh_id) });
  return trusted;
}

function isExpectedError(error: unknown): boolean {
  return error instanceof CliError || error instanceof MerkleError;
}

interface MovedBroker {
  readonly question: string;
  /** The meshes for which the new address is stored after confirmation. */
  readonly meshes: readonly KnownMesh[];
}

/**
 * Finds the meshes that the broker at this address serves and for which this home has stored a different
 * address. Returns null if there are none.
 *
 * @throws CliError `unproven` if the server lacks the key of the broker that it claims to be
 */
async function findMovedBroker(address: TrustedAddress): Promise<MovedBroker | null> {
  const { home, base } = address;
  const proof = await requestProof(address);
  const { broker_id, keys } = proof;
  const newAddress = await getAddressKey(base, home);
  const known = listKnownMeshes(home).filter((each) => each.broker_id === broker_id);
  const moved = known.filter((each) => !each.addresses.includes(newAddress));
  const unknown = await listMeshesWithoutAddress(proof, address);
  if (moved.length + unknown.length === 0) return null;
  for (const each of moved) {
    if (each.keys.length > 0 && !(await isSuccessorOf(each.keys, keys))) throw unproven(address, each);
  }
  const knownAddresses =
    [...new Set(moved.flatMap((each) => each.addresses))].join(", ") || "an address that was not kept";
  const isProven = unknown.length === 0 && moved.every((each) => each.keys.length > 0);
  return {
    question: isProven
      ? `The broker at ${base} proved with its key that it is the one this machine already knows from ${knownAddresses}.`
      : `The broker at ${base} claims to be the broker that this machine knows from ${knownAddresses}. This machine has no key of that broker to check it. Answer yes only if you know that it moved.`,
    meshes: [
      ...moved.map((each) => ({ ...each, keys, addresses: [...each.addresses, newAddress] })),
      ...unknown.map((mesh_id) => ({ mesh_id, broker_id, keys, addresses: [newAddress] })),
    ],
  };
}

/** Lists the broker's meshes for which this home has credentials but has not stored an address. */
async function listMeshesWithoutAddress(
  { broker_id, mesh_id }: Pick<KnownMesh, "broker_id" | "mesh_id">,
  address: TrustedAddress,
): Promise<string[]> {
  const joined = (await listMembers(address.home)).filter((each) => each.broker_id === broker_id);
  const ids = new Set([mesh_id, ...joined.map((each) => each.mesh_id)]);
  const meshIds: string[] = [];
  for (const id of ids) {
    const hasAddress = findKnownMesh(address.home, id) !== undefined;
    if (!hasAddress && !(await isFirstSeen({ mesh_id: id, broker_id }, address))) meshIds.push(id);
  }
  return meshIds;
}

function unproven({ base, home }: TrustedAddress, { addresses, mesh_id }: KnownMesh): CliError {
  return new CliError(
    "unproven",
    `The server at ${base} claims to be the broker of ${addresses.join(", ")}, but did not prove it with that broker's key. Its credentials were not sent.`,
    {
      exitCode: exitCodes.refused,
      next: [
        `remove ${join(homeFiles.meshes(home), `${mesh_id}.json`)} if you know that it has a new key, and try again`,
      ],
    },
  );
}
