import type { CoreServices } from "../../core/services.js";

/** Tells those who watch the mesh that proposals, and what waits for a human with them, have changed. */
export function announceProposals({ mesh }: Pick<CoreServices, "mesh">, sessionId: string | null): void {
  mesh.announce("proposals", sessionId);
  mesh.announce("attention", sessionId);
}
