import type { SignatureProof } from "@merkle/wire";
import { announceSignIn } from "@/broker/sign-in-channel";
import { callHttp } from "./call-http";
import type { BrowserMember } from "./member-key";
import { storePageToken } from "./page-token";

/** The broker's public description of itself, and the principal of this browser. */
export interface SignInState {
  readonly auth: "open" | "invite";
  readonly broker_id: string;
  readonly mesh_id: string;
  readonly you:
    | { readonly kind: "member"; readonly name: string }
    | { readonly kind: "observer"; readonly session_id: string }
    | null;
}

/** The sign-in state, with a nonce to sign when signing in with a key. */
export type SignInChallenge = SignInState & { readonly nonce: string };

export async function readSignIn(): Promise<SignInChallenge> {
  return (await callHttp("GET", "/api/sign-in")) as SignInChallenge; // The broker's response has this type.
}

/**
 * Signs this browser in with a link's secret or a signature. No script can read the resulting cookie, and only pages of this
 * origin can read the page token.
 *
 * @throws MerkleError unauthorized if the link is unknown, used up, expired or revoked
 */
export async function signIn(credentials: { secret: string } | { proof: SignatureProof }): Promise<void> {
  const { page_token } = (await callHttp("POST", "/api/sign-in", credentials)) as { page_token: string }; // The broker's response has this type.
  await storePageToken(page_token);
  announceSignIn();
}

/** Signs in with the key that this browser stored when it joined. */
export async function signInByKey(member: BrowserMember): Promise<void> {
  const [identity, { deriveSigningKey }, challenge] = await Promise.all([
    import("@merkle/wire/identity"),
    import("@merkle/wire/keys"),
    readSignIn(),
  ]);
  const seed = identity.fromBase64url(member.seed, 32);
  if (seed === null) throw new Error("The key stored in this browser is damaged.");
  const proof = identity.answerHello(challenge, {
    brokerId: member.broker_id,
    meshId: member.mesh_id,
    memberKey: deriveSigningKey(seed),
    // This key signs only this proof, so it is not stored.
    sessionKey: deriveSigningKey(identity.drawSeed()),
    label: `${member.name}, a browser`.slice(0, 200),
    session: null,
    url: location.origin,
  });
  if (proof === undefined) throw new Error("This broker is open: there is nothing to sign in to.");
  await signIn({ proof });
}
