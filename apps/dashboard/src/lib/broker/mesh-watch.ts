import type { MeshChangedKind } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";

type Tell = (kind: MeshChangedKind | "all", sessionId: string | null) => void;

/** Watches the mesh for as long as the client lives, as the person whose credential was given last. */
export function watchMeshFor(
  client: MerkleClient,
  tell: Tell,
): { setCredential(credential: string | undefined): void } {
  let credential: string | undefined;
  let watch = start();

  function start() {
    return client.watchMesh({
      ...(credential === undefined ? {} : { credential }),
      onChanged: ({ kind, session_id }) => tell(kind, session_id),
      onRestored: () => tell("all", null),
      // Somebody whom the broker does not know may still watch what everybody may.
      onError: ({ code }) => {
        if (code === "unauthorized" && credential !== undefined) restartAs(undefined);
      },
    });
  }

  function restartAs(next: string | undefined): void {
    if (next === credential) return;
    credential = next;
    watch.close();
    watch = start();
  }

  return { setCredential: restartAs };
}
