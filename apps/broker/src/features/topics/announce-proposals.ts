import type { CoreServices } from "../../core/services.js";

/**
 * Notifies the mesh's watchers that proposals have changed, and that the items waiting for humans have
 * changed with them.
 */
export function announceProposals({ mesh }: Pick<CoreServices, "mesh">, sessionId: string | null): void {
  mesh.announce("proposals", sessionId);
  mesh.announce("attention", sessionId);
}
