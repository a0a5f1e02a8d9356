import type { HelloProof } from "@merkle/wire";
import { connect, type Hello, type MerkleClient } from "@merkle/wire/client";
import { MerkleError } from "@merkle/wire/errors";

/** Connects to the broker that served the pages, as whoever this browser is signed in as. */
export function openClient(): MerkleClient {
  // The pages came from there themselves: where that was clear text, refusing more of it would protect nobody.
  return connect({ url: location.origin, insecure: true, answerHello });
}

/** The cookie, which no script can read, is good for a ticket; that lets one connection in. */
async function answerHello({ auth }: Hello): Promise<HelloProof | undefined> {
  if (auth === "open") return undefined;
  const response = await fetch("/api/tickets", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  const body: unknown = await response.json();
  if (!response.ok) throw MerkleError.fromBody(body);
  const { ticket } = body as { readonly ticket: string }; // The broker's own.
  return { kind: "ticket", ticket };
}
