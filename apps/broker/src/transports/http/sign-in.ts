import type { HttpBindings } from "@hono/node-server";
import { claimOnce, insertToken, releaseOnce } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { encodeBrokerStatement } from "@merkle/wire/identity";
import { limits } from "@merkle/wire/limits";
import { Bytes32, HelloProof } from "@merkle/wire/schemas";
import type { Hono } from "hono";
import * as z from "zod";
import { sha256 } from "../../core/sha256.js";
import { writeCookie } from "../../identity/authenticator/cookie.js";
import { createSignInChallenges } from "../../identity/authenticator/sign-in-challenges.js";
import { cutOff, endInTransaction } from "../../identity/end-credentials.js";
import type { OriginReader } from "../../identity/origin/request-origin.js";
import { requireSameOrigin } from "../../identity/origin/same-origin.js";
import { findTokenNumber, isNamed, type Principal } from "../../identity/principal.js";
import { makeBrowserToken, makeToken } from "../../identity/tokens/token.js";
import { membershipEnded } from "../../sessions/access/authorize.js";
import type { Authenticator, Meshes, Services } from "../services.js";
import type { Admit, HttpContext } from "./admit.js";
import { toJsonResponse } from "./http-error.js";
import type { BodyReader } from "./read-json-body.js";

/** Describes who a browser is signed in as, for display in pages. */
export interface SignInStatus {
  readonly auth: "open" | "invite";
  readonly broker_id: string;
  readonly mesh: string;
  readonly mesh_id: string;
  readonly you:
    | { readonly kind: "member"; readonly member_id: string; readonly name: string; readonly role: string }
    | { readonly kind: "observer"; readonly session_id: string }
    | null;
}

/**
 * Maximum stored length of a browser's User-Agent header. Must be long enough for the browser's name, which
 * is near the end.
 */
const userAgentCharsMax = 300;

const SignIn = z.union([
  z.strictObject({ secret: z.string().min(1).max(200) }),
  z.strictObject({ proof: HelloProof }),
]);

const BrokerProofRequest = z.object({ challenge: Bytes32, origin: z.string().min(1).max(300) });

export interface SignInOptions {
  readonly meshes: Meshes;
  readonly authenticator: Authenticator;
  readonly admit: Admit;
  readonly bodies: BodyReader;
  readonly originReader: OriginReader;
  /** Returns whether an address (scheme, host and port) leads to this broker. */
  readonly isOwnOrigin: (origin: string) => boolean;
}

/**
 * Signs in a browser with a cookie and a token for its pages (ENTER-3). The browser presents the secret of a
 * sign-in or observer link, or proves the key with which it joined. The sign-in is valid in all of the
 * browser's tabs. These routes are not operations, because they set headers and only browsers use them.
 */
export function mountSignIn(
  app: Hono<{ Bindings: HttpBindings }>,
  { meshes, authenticator, admit, bodies, originReader, isOwnOrigin }: SignInOptions,
): void {
  const { main } = meshes;
  const { database } = main;
  const toClaimKey = (nonce: string) => ({
    meshId: database.meshId,
    requestHash: sha256(`sign-in ${nonce}`),
  });
  const challenges = createSignInChallenges({
    shared: main.nodes.isAlone
      ? undefined
      : {
          secret: main.signer.deriveSecret("sign-in challenges"),
          claim: (nonce) => claimOnce(database.orm, toClaimKey(nonce)),
          release: (nonce) => releaseOnce(database.orm, toClaimKey(nonce)),
        },
  });

  app.get("/api/sign-in", async (c) => {
    const { principal, services } = await admit(c);
    const { challenge, origin } = c.req.query();
    const proof = challenge === undefined ? undefined : proveSelf({ challenge, origin });
    return toJsonResponse({
      ...describe(services, principal),
      nonce: challenges.issue(),
      ...(proof && { proof }),
    });
  });

  app.post("/api/sign-in", async (c) => {
    const origin = originReader.read(c.env.incoming);
    requireSameOrigin(origin);
    const principal = await identify(await readSignIn(c, bodies));
    if (!isNamed(principal)) throw signInRefused();
    const services = (await meshes.find(principal.meshId)) ?? main;
    const { cookie, page, secretHash } = makeBrowserToken();
    const holder =
      principal.kind === "member" ? { memberId: principal.memberId } : { sessionId: principal.sessionId };
    await services.database.transaction((tx) =>
      insertToken(tx, {
        meshId: principal.meshId,
        kind: "browser",
        secretHash,
        holder,
        authority: principal.authority,
        label: c.req.header("user-agent")?.slice(0, userAgentCharsMax),
        seconds: limits.browserSeconds,
      }),
    );
    const response = toJsonResponse({ ...describe(services, principal), page_token: page });
    response.headers.set(
      "set-cookie",
      writeCookie(origin, { value: cookie, maxAgeS: limits.browserSeconds }),
    );
    return response;
  });

  app.post("/api/sign-out", async (c) => {
    const { principal, services } = await admit(c);
    const origin = originReader.read(c.env.incoming);
    requireSameOrigin(origin);
    const number = principal && isNamed(principal) ? findTokenNumber(principal) : null;
    if (principal && number !== null) {
      const { meshId } = principal;
      const by = principal.kind === "member" ? principal.name : "an observer";
      const ended = await services.database.transaction((tx) => endInTransaction(tx, { meshId, number, by }));
      cutOff(services, meshId, ended);
    }
    const response = toJsonResponse({});
    response.headers.set("set-cookie", writeCookie(origin, { value: "", maxAgeS: 0 }));
    return response;
  });

  app.post("/api/tickets", async (c) => {
    const { principal, services } = await admit(c);
    requireSameOrigin(originReader.read(c.env.incoming));
    if (!isNamed(principal) || principal.authority.token === null) throw notSignedIn();
    const { meshId, authority } = principal;
    const { token, secretHash } = makeToken("ticket");
    const holder =
      principal.kind === "member" ? { memberId: principal.memberId } : { sessionId: principal.sessionId };
    await services.database.transaction((tx) =>
      insertToken(tx, {
        meshId,
        kind: "ticket",
        secretHash,
        holder,
        authority,
        seconds: limits.ticketSeconds,
      }),
    );
    return toJsonResponse({ ticket: token });
  });

  /**
   * Proves to the caller that this broker has its audit key, and that the caller has connected to the
   * broker's own address (HELLO-6).
   */
  function proveSelf(request: { challenge: string; origin: string | undefined }): object {
    const parsed = BrokerProofRequest.safeParse(request);
    if (!parsed.success) throw invalidProofRequest();
    const { challenge, origin } = parsed.data;
    if (!isOwnOrigin(origin)) throw unknownOrigin(origin);
    const { brokerId: broker_id } = main.database;
    return {
      ...main.signer.signBytes(encodeBrokerStatement({ broker_id, challenge, origin })),
      keys: main.signer.keys,
    };
  }

  async function identify(input: z.output<typeof SignIn>): Promise<Principal | null> {
    if ("secret" in input) return authenticator.findPrincipalByToken(input.secret, ["sign_in", "observer"]);
    const { proof } = input;
    if (proof.kind !== "signature") throw signInRefused();
    const { principal } = await challenges.answer(proof.statement.nonce, (nonce) =>
      authenticator.authenticateHello({ proof }, { nonce, isOwnOrigin, now: new Date() }),
    );
    return principal;
  }
}

async function readSignIn(c: HttpContext, bodies: BodyReader): Promise<z.output<typeof SignIn>> {
  const parsed = SignIn.safeParse(await bodies.readJson(c.env.incoming));
  if (parsed.success) return parsed.data;
  throw new MerkleError(
    "bad_request",
    'Expected {"secret": …} with the part of a sign-in or observer link after the #, or {"proof": …} with a signed hello.',
  );
}

function describe(services: Services, principal: Principal | null): SignInStatus {
  const { brokerId, meshId } = services.database;
  return {
    auth: services.auth,
    broker_id: brokerId,
    mesh: services.meshName,
    mesh_id: meshId,
    you: toYou(principal),
  };
}

function toYou(principal: Principal | null): SignInStatus["you"] {
  switch (principal?.kind) {
    case "member": {
      const { memberId, name, role } = principal;
      return { kind: "member", member_id: memberId, name, role };
    }
    case "observer":
      return { kind: "observer", session_id: principal.sessionId };
    default:
      return null;
  }
}

function signInRefused(): MerkleError {
  return new MerkleError(
    "unauthorized",
    "This sign-in link is not valid: it is wrong, was already used, has expired or was revoked. Get a new link with merkle open, or from a member.",
  );
}

function invalidProofRequest(): MerkleError {
  return new MerkleError(
    "bad_request",
    "Expected challenge (32 bytes in base64url) and origin (the address that you connected to, such as https://mesh.example.com).",
  );
}

function unknownOrigin(origin: string): MerkleError {
  return new MerkleError(
    "forbidden",
    `This broker does not have the address ${JSON.stringify(origin)}. Set the address of a proxy or a container as public_url, or its host and port in MERKLE_ALLOWED_HOSTS.`,
  );
}

function notSignedIn(): MerkleError {
  return new MerkleError("unauthorized", `This browser is not signed in. ${membershipEnded().message}`);
}
