import type { CoreServices } from "../../core/services.js";

/**
 * Notifies watchers of the mesh that proposals, and the related items that wait for a human, have changed.
 */
export function announceProposals({ mesh }: Pick<CoreServices, "mesh">, sessionId: string | null): void {
  mesh.announce("proposals", sessionId);
  mesh.announce("attention", sessionId);
}
