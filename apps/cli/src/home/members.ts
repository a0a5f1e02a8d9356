import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { drawSeed, toBase64url } from "@merkle/wire/identity";
import { CliError, exitCodes, usageError } from "../core/cli-error.js";
import { isObject } from "../core/is-object.js";
import { explainHomeErrors, homeFiles } from "../core/merkle-home.js";
import { replaceFile } from "../core/replace-file.js";

/** This home's membership in a broker's mesh, with the member's key. */
export interface StoredMember {
  readonly broker_id: string;
  readonly mesh_id: string;
  /** The name of the mesh. */
  readonly mesh: string;
  readonly member_id: string;
  readonly name: string;
  readonly role: "admin" | "member";
  /** The base addresses at which this home has reached the broker. */
  readonly urls: readonly string[];
  /**
   * The seed of the member's ed25519 key: 32 bytes in base64url. One key is used for all meshes of a broker.
   */
  readonly seed: string;
  readonly joined_at: string;
  /**
   * The token for HTTP requests. Issued when the member joins, and renewed after it expires.
   */
  readonly token: { readonly value: string; readonly expires_at: string } | null;
}

/** Lists this home's memberships, in the order of joining. */
export async function listMembers(home: string): Promise<StoredMember[]> {
  const folder = homeFiles.members(home);
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => /^[0-9a-f-]{36}\.json$/.test(name));
  if (files.length === 0) return [];
  const members = await Promise.all(files.map((name) => readMember(join(folder, name))));
  return members.flatMap((each) => each ?? []).sort((a, b) => a.joined_at.localeCompare(b.joined_at));
}

/**
 * Stores a membership in a file that only this user can read. Replaces an earlier membership in the same
 * mesh.
 */
export async function saveMember(home: string, member: StoredMember): Promise<void> {
  await writeKey(home, `${member.mesh_id}.json`, member);
}

/**
 * Returns the seed of this home's key for a broker. Creates the seed if needed and stores it before use: if
 * the reply to a join is lost, the next attempt uses the same key and does not use up the invite again.
 */
export async function getOrCreateSeed(home: string, brokerId: string): Promise<string> {
  const path = join(homeFiles.members(home), `${brokerId}.key`);
  const existing = await readKey(path);
  if (existing !== undefined) return existing;
  const seed = toBase64url(drawSeed());
  await writeKey(home, `${brokerId}.key`, { seed });
  return seed;
}

async function readMember(path: string): Promise<StoredMember | null> {
  const value = await readObject(path);
  return value && isStoredMember(value) ? value : null;
}

async function readKey(path: string): Promise<string | undefined> {
  const value = await readObject(path);
  if (!value) return undefined;
  return typeof value["seed"] === "string" ? value["seed"] : undefined;
}

async function readObject(path: string): Promise<Record<string, unknown> | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    // A missing or invalid file counts as no membership.
    return undefined;
  }
}

async function writeKey(home: string, name: string, value: object): Promise<void> {
  const folder = homeFiles.members(home);
  await explainHomeErrors(home, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await replaceFile(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  });
}

function isStoredMember(value: Record<string, unknown>): value is Record<string, unknown> & StoredMember {
  const { urls, token } = value;
  return (
    textFields.every((name) => typeof value[name] === "string") &&
    Array.isArray(urls) &&
    urls.every((each) => typeof each === "string") &&
    (token === null || (typeof token === "object" && "value" in token && "expires_at" in token))
  );
}

const textFields = [
  "broker_id",
  "mesh_id",
  "mesh",
  "member_id",
  "name",
  "role",
  "seed",
  "joined_at",
] as const satisfies readonly (keyof StoredMember)[];

/** The criteria for selecting a membership. */
interface MemberQuery {
  /** The broker's address, or the id that the broker claims to have. */
  readonly broker: { readonly url: string } | { readonly id: string };
  /** The name or id of the mesh. */
  readonly mesh: string | undefined;
}

/**
 * Selects the membership for a broker. Returns null if this home has no membership there. If this home has
 * several memberships there, selects the one for the named mesh (default: `main`).
 *
 * @throws CliError `usage` if no mesh is named and none is called `main`; `not_found` if the named mesh was
 * not joined
 */
export function chooseMember(
  members: readonly StoredMember[],
  { broker, mesh }: MemberQuery,
): StoredMember | null {
  const known = members.filter((each) =>
    "url" in broker ? each.urls.includes(broker.url) : each.broker_id === broker.id,
  );
  if (known.length === 0) return null;
  const names = known.map((each) => each.mesh).join(", ");
  if (mesh !== undefined) {
    const named = known.find((each) => each.mesh_id === mesh || isSameName(each.mesh, mesh));
    if (named) return named;
    throw new CliError(
      "not_found",
      `This machine has not joined the mesh ${JSON.stringify(mesh)} at this broker. It has joined: ${names}.`,
      {
        exitCode: exitCodes.not_found,
        next: ["merkle join -"],
      },
    );
  }
  const [only, ...others] = known;
  if (only && others.length === 0) return only;
  const main = known.find((each) => isSameName(each.mesh, "main"));
  if (main) return main;
  throw usageError(
    `This machine has joined several meshes at this broker: ${names}. Choose one with --mesh.`,
  );
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
