import { MerkleError } from "@merkle/wire";
import type { IdentityServices } from "./context.js";
import { mainMeshName } from "./meshes/meshes.js";

/**
 * For what tells of the whole broker: nobody of another mesh is to learn how much goes on in the rest.
 *
 * @throws forbidden in another mesh than the main one where members alone are let in
 */
export function requireMainMesh(
  { auth, meshName }: Pick<IdentityServices, "auth" | "meshName">,
  what: string,
): void {
  if (auth === "open" || meshName === mainMeshName) return;
  throw new MerkleError(
    "forbidden",
    "Only admins of the main mesh can do this, because it covers all meshes of the broker.",
    { operation: what },
  );
}
