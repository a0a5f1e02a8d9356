import { type HelloProof, MerkleError, type OperationName, type StateChangeFrame } from "@merkle/wire";
import { type ConnectionState, connect, type Hello, LiveFeeds, type MerkleClient } from "@merkle/wire/client";
import { callHttp } from "../identity/call-http";
import { chosenMesh, leaveMesh } from "../identity/chosen-mesh";
import { getPageToken } from "../identity/page-token";
import type { MeshChange } from "./broker";
import { takesCredential } from "./takes-credential";

/** The page's connection to the broker that served it. It loads after the page, which shows something without it. */
export interface Connection {
  readonly client: MerkleClient;
  readonly feeds: LiveFeeds;
  /** Whether a person's credential goes along with the operation. */
  takesCredential(name: OperationName): boolean;
  /** Watches the mesh as this person from now on. */
  setCredential(credential: string | undefined): void;
}

export interface ConnectionEvents {
  onState(state: ConnectionState): void;
  onMeshChanged(change: MeshChange): void;
  onStateChange(change: StateChangeFrame): void;
}

/** Connects to the broker that served the pages, as the principal of this browser. */
export function openConnection(events: ConnectionEvents): Connection {
  // The pages came from the same broker: if that was over plain HTTP, refusing plain WebSockets would protect nobody.
  return toConnection(
    connect({ url: location.origin, insecure: true, mesh: chosenMesh, answerHello }),
    events,
  );
}

/** Gets a ticket with the browser's sign-in. A ticket lets one connection in. */
async function answerHello({ auth }: Hello): Promise<HelloProof | undefined> {
  if (auth === "open") return undefined;
  // A request that will be refused would appear as an error in the console.
  if ((await getPageToken()) === undefined) {
    throw new MerkleError("unauthorized", "This browser is not signed in.");
  }
  const { ticket } = (await callHttp("POST", "/api/tickets")) as { readonly ticket: string }; // The broker's own.
  return { kind: "ticket", ticket };
}

export function toConnection(client: MerkleClient, events: ConnectionEvents): Connection {
  const feeds = new LiveFeeds(client);
  let wasOpen = false;
  client.onState((state) => {
    events.onState(state);
    // It may be gone with the database that had it: loading the page again then leads into the main one.
    if (state.status === "closed" && state.code === "not_found") leaveMesh();
    if (state.status !== "open") return;
    // Hints are not kept for a client that is away, so after each return every read may differ.
    if (wasOpen) events.onMeshChanged({ kind: "all", sessionId: null });
    wasOpen = true;
  });
  client.onPush((push) => {
    if (push.type === "state_change") events.onStateChange(push);
  });
  return { client, feeds, takesCredential, setCredential: watchMesh(client, events) };
}

/** Watches the mesh for as long as the client lives; returns how to do so as another person. */
function watchMesh(client: MerkleClient, { onMeshChanged }: ConnectionEvents): Connection["setCredential"] {
  let credential: string | undefined;
  let watch = start();

  function start() {
    return client.watchMesh({
      ...(credential !== undefined && { credential }),
      onChanged: ({ kind, session_id }) => onMeshChanged({ kind, sessionId: session_id }),
      onRestored: () => onMeshChanged({ kind: "all", sessionId: null }),
      // A person whom the broker does not know may still see what is public.
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
