import { type HelloProof, MerkleError, type OperationName, type StateChangeFrame } from "@merkle/wire";
import { type ConnectionState, connect, type Hello, LiveFeeds, type MerkleClient } from "@merkle/wire/client";
import { callHttp } from "../identity/call-http";
import { chosenMesh, leaveMesh } from "../identity/chosen-mesh";
import { findPageToken } from "../identity/page-token";
import type { MeshChangeHint } from "./broker";
import { takesCredential } from "./takes-credential";

/** The page's connection to its broker. This module loads after the page has shown its first content. */
export interface PageConnection {
  readonly client: MerkleClient;
  readonly feeds: LiveFeeds;
  /** Returns whether the operation accepts a person's credential. */
  takesCredential(name: OperationName): boolean;
  /** Continues watching the mesh as the person with this credential. */
  setCredential(credential: string | undefined): void;
}

export interface PageConnectionEvents {
  onState(state: ConnectionState): void;
  onMeshChanged(change: MeshChangeHint): void;
  onStateChange(change: StateChangeFrame): void;
}

/** Connects to the broker that served the page, as the principal of this browser. */
export function openConnection(events: PageConnectionEvents): PageConnection {
  // The page came from the same broker. If it was served over plain HTTP, refusing plain WebSockets would protect no one.
  return toConnection(
    connect({ url: location.origin, insecure: true, mesh: chosenMesh, answerHello }),
    events,
  );
}

/** Uses the browser's sign-in to get a ticket, which is valid for one connection. */
async function answerHello({ auth }: Hello): Promise<HelloProof | undefined> {
  if (auth === "open") return undefined;
  // Fails early, because the browser would log a refused request as an error in its console.
  if ((await findPageToken()) === undefined) {
    throw new MerkleError("unauthorized", "This browser is not signed in.");
  }
  const { ticket } = (await callHttp("POST", "/api/tickets")) as { readonly ticket: string }; // The broker's response has this type.
  return { kind: "ticket", ticket };
}

export function toConnection(client: MerkleClient, events: PageConnectionEvents): PageConnection {
  const feeds = new LiveFeeds(client);
  let wasOpen = false;
  client.onState((state) => {
    events.onState(state);
    // A restored database may lack this mesh. Leaving the mesh makes the next page load open the main mesh.
    if (state.status === "closed" && state.code === "not_found") leaveMesh();
    if (state.status !== "open") return;
    // The broker keeps no hints for a disconnected client, so any read may have changed after a reconnect.
    if (wasOpen) events.onMeshChanged({ kind: "all", sessionId: null });
    wasOpen = true;
  });
  client.onPush((push) => {
    if (push.type === "state_change") events.onStateChange(push);
  });
  return { client, feeds, takesCredential, setCredential: watchMesh(client, events) };
}

/**
 * Watches the mesh while the client exists. Returns a function that switches the watch to another person's credential.
 */
function watchMesh(
  client: MerkleClient,
  { onMeshChanged }: PageConnectionEvents,
): PageConnection["setCredential"] {
  let credential: string | undefined;
  let watch = start();

  function start() {
    return client.watchMesh({
      ...(credential !== undefined && { credential }),
      onChanged: ({ kind, session_id }) => onMeshChanged({ kind, sessionId: session_id }),
      onRestored: () => onMeshChanged({ kind: "all", sessionId: null }),
      // A person whom the broker does not know may still see public data, so watch without a credential.
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

  return restartAs;
}
