import type { HelloProof } from "@merkle/wire";
import { connect, type Hello, type MerkleClient } from "@merkle/wire/client";
import { askDoor } from "@/lib/sign-in/ask-door";

/** Connects to the broker that served the pages, as whoever this browser is signed in as. */
export function openClient(): MerkleClient {
  // The pages came from there themselves: where that was clear text, refusing more of it would protect nobody.
  return connect({ url: location.origin, insecure: true, answerHello });
}

/** What the browser is signed in by is good for a ticket; that lets one connection in. */
async function answerHello({ auth }: Hello): Promise<HelloProof | undefined> {
  if (auth === "open") return undefined;
  const { ticket } = (await askDoor("POST", "/api/tickets")) as { readonly ticket: string }; // The broker's own.
  return { kind: "ticket", ticket };
}
