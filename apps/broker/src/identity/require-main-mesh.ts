import { MerkleError } from "@merkle/wire";
import type { IdentityServices } from "./context.js";
import { mainMeshName } from "./meshes/meshes.js";

/**
 * Guards operations on the whole broker, so that members of another mesh learn nothing about other meshes.
 *
 * @throws forbidden in any mesh other than the main mesh, if the broker admits only members
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
