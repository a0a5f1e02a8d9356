import { CliError, exitCodes, usageError } from "../core/cli-error.js";
import type { HeldMember } from "../identity/members.js";

/** Which membership is meant. */
export interface WantedMember {
  /** By its address, or by who it says that it is. */
  readonly broker: { readonly url: string } | { readonly id: string };
  /** By name or id. */
  readonly mesh: string | undefined;
}

/**
 * The membership as which to speak to a broker; null when this home has none there. Of several the mesh that is named
 * counts, else `main`.
 *
 * @throws CliError `usage` when none of several is `main` and none is named; `not_found` when the named one is not among them
 */
export function chooseMember(
  members: readonly HeldMember[],
  { broker, mesh }: WantedMember,
): HeldMember | null {
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
      `This machine has joined no mesh ${JSON.stringify(mesh)} there, but: ${names}.`,
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
  throw usageError(`This machine has joined several meshes there: ${names}. Say which with --mesh.`);
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
