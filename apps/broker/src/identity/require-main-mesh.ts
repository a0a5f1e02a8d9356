import { MerkleError } from "@merkle/wire";
import type { Services } from "../context.js";

/**
 * For what tells of the whole broker: nobody of another mesh is to learn how much goes on in the rest.
 *
 * @throws forbidden in another mesh than the main one where members alone are let in
 */
export function requireMainMesh({ database, entrance, meshes }: Services, what: string): void {
  if (entrance().auth === "open" || database.meshId === meshes().main.database.meshId) return;
  throw new MerkleError(
    "forbidden",
    `${what} counts what all meshes do, so it is for admins of the main one.`,
  );
}
