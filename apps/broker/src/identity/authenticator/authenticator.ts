import {
  type Database,
  findJobBySecret,
  findMember,
  findTokenByNumber,
  isForPrograms,
  type KnownToken,
  type TokenKind,
  takeToken,
  useToken,
} from "@merkle/db";
import { type HelloProof, MerkleError, type SignatureProof } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { IdentityServices } from "../context.js";
import type { Limiter } from "../limits/limiter.js";
import type { Meshes } from "../meshes/meshes.js";
import type { RequestOrigin } from "../origin/request-origin.js";
import { requireSameOrigin } from "../origin/same-origin.js";
import type { Principal } from "../principal.js";
import type { Revocations } from "../revocations.js";
import { findTokenKind, hashToken, isJobToken, toTokenName } from "../tokens/token.js";
import { readBearer, readBrowserToken } from "./cookie.js";
import { type HelloExpectation, verifyHello } from "./verify-hello.js";

/** The result of authentication: the principal, and the services of the principal's mesh. */
export interface Admission<Services extends IdentityServices> {
  readonly principal: Principal | null;
  /**
   * The services of the principal's mesh. An unauthenticated client gets the main mesh's services, which
   * public operations need.
   */
  readonly services: Services;
}

/** The parts of an HTTP request that identify its sender. */
export interface RequestClaims {
  readonly origin: RequestOrigin;
  readonly method: string;
  readonly readHeader: (name: string) => string | undefined;
  /** Whether the request is for the MCP endpoint, the only endpoint that accepts OAuth tokens (OAUTH-5). */
  readonly isForMcp?: boolean | undefined;
}

/** Authenticates the clients of all transports before anything else in the request is processed (ENTER-1). */
export interface Authenticator<Services extends IdentityServices> {
  readonly auth: "open" | "invite";
  /** The admission of a client that has not authenticated. */
  readonly unauthenticated: Admission<Services>;
  /**
   * Authenticates an HTTP request by its bearer token, or by both halves of a browser's token. The cookie
   * alone is not enough.
   *
   * @throws unauthorized for an invalid token; not_found for an unknown mesh; forbidden for a write with a
   * cookie if the page is from another origin
   */
  authenticateRequest(request: RequestClaims): Promise<Admission<Services>>;
  /**
   * Authenticates a WebSocket by the client's answer to the broker's hello.
   *
   * @throws unauthorized
   */
  authenticateHello(answer: HelloAnswer, connection: HelloConnection): Promise<Admission<Services>>;
  /** Returns the principal of a token of the given kinds, or null if the token is invalid. Uses up a single-use token. */
  findPrincipalByToken(token: string, kinds: readonly TokenKind[]): Promise<Principal | null>;
}

/** The facts about a connection that its transport provides for checking the answer to a hello. */
export type HelloConnection = Omit<HelloExpectation, "brokerId">;

export interface HelloAnswer {
  readonly mesh?: string | undefined;
  readonly proof?: HelloProof | undefined;
}

/**
 * How long a token's principal is cached without a database query. Revocations on this node drop it immediately (ENTER-6).
 */
const cacheMs = 1_000;

export function createAuthenticator<Services extends IdentityServices>({
  auth,
  meshes,
  revocations,
  limiter,
  database,
}: {
  readonly auth: "open" | "invite";
  readonly meshes: Meshes<Services>;
  readonly revocations: Revocations;
  readonly limiter: Limiter;
  readonly database: Pick<Database, "orm" | "brokerId">;
}): Authenticator<Services> {
  // The cached principals, by a hash of the token. The least recently used come first.
  const cachedPrincipals = new Map<string, { readonly principal: Principal; readonly until: number }>();
  revocations.onRevoked(() => cachedPrincipals.clear());

  /** Returns the principal of an active token. */
  async function findPrincipalByToken(text: string, kinds: readonly TokenKind[]): Promise<Principal | null> {
    const kind = findTokenKind(text);
    if (kind === null || !kinds.includes(kind)) return null;
    const hash = hashToken(text);
    const name = toTokenName(text);
    const known = cachedPrincipals.get(name);
    if (known && known.until > performance.now()) return known.principal;
    const isSingleUse = kind === "sign_in" || kind === "ticket";
    const before = revocations.count;
    const token = isSingleUse ? await takeToken(database.orm, hash) : await useToken(database.orm, hash);
    const { principal, expiresAt } = await toPrincipal(token);
    limiter.noteProof(name, principal !== null && !isSingleUse);
    if (!principal) return null;
    revocations.noteLookUp(principal, { before, ...(expiresAt && { expiresAt }) });
    if (!isSingleUse && before === revocations.count) cachePrincipal(name, principal);
    return principal;
  }

  /**
   * Returns a job's agent as a principal while the job is running and its claim is valid. The result is not
   * cached.
   */
  async function findPrincipalByJob(text: string): Promise<Principal | null> {
    const job = await findJobBySecret(database.orm, hashToken(text));
    limiter.noteProof(toTokenName(text), job !== null);
    if (!job) return null;
    const { meshId, number, kind, sessionId, root, path, fence } = job;
    const sourcePath = path === null ? null : `${root}/${path}`;
    return { kind: "job", meshId, job: number, jobKind: kind, sessionId, sourcePath, fence };
  }

  function cachePrincipal(name: string, principal: Principal): void {
    cachedPrincipals.delete(name);
    cachedPrincipals.set(name, { principal, until: performance.now() + cacheMs });
    if (cachedPrincipals.size <= limits.cachedCredentialsMax) return;
    const [oldest] = cachedPrincipals.keys();
    if (oldest !== undefined) cachedPrincipals.delete(oldest);
  }

  async function toPrincipal(
    token: KnownToken | null,
  ): Promise<{ principal: Principal | null; expiresAt?: Date }> {
    if (!token) return { principal: null };
    const { meshId, number, memberId, sessionId, member, kind, parent, grant, createdBy, program } = token;
    if (kind === "client") {
      if (memberId === null || !grant) return { principal: null };
      return {
        principal: { kind, meshId, memberId, ...grant, token: number },
        expiresAt: token.expiresAt,
      };
    }
    // A ticket is used up immediately. The connection that it opens lasts while the browser is signed in.
    if (kind === "ticket") {
      return toPrincipal(parent === null ? null : await findTokenByNumber(database.orm, meshId, parent));
    }
    const { expiresAt } = token;
    if (sessionId !== null) {
      const authority = { vouchedBy: createdBy, token: number, program };
      return { principal: { kind: "observer", meshId, sessionId, authority }, expiresAt };
    }
    if (memberId === null || !member) return { principal: null };
    // A sign-in link is also used up immediately. Credentials obtained with the link end together with the
    // credential that created the link.
    const holderToken = kind === "sign_in" ? parent : number;
    // Nodes with an earlier version store tokens for programs without setting `program`.
    const programToken = isForPrograms(kind, parent) ? number : program;
    const authority = { vouchedBy: memberId, token: holderToken, program: programToken };
    return { principal: { kind: "member", meshId, memberId, ...member, authority }, expiresAt };
  }

  async function admit(principal: Principal): Promise<Admission<Services>> {
    const services = await meshes.find(principal.meshId);
    if (!services) throw new TypeError("The mesh of the principal was not found.");
    return { principal, services };
  }

  async function admitAnyone(mesh: string | undefined): Promise<Admission<Services>> {
    const services = mesh === undefined ? meshes.main : await meshes.find(mesh);
    if (!services) throw noSuchMesh(mesh ?? "main");
    return { principal: { kind: "anyone", meshId: services.database.meshId }, services };
  }

  /**
   * Admits a principal to its mesh. A token or key belongs to one mesh, so a request that names a different
   * mesh is refused.
   */
  async function admitTo(
    principal: Principal | null,
    mesh: string | undefined,
  ): Promise<Admission<Services>> {
    if (!principal) throw proofRefused();
    if (mesh !== undefined && (await meshes.find(mesh))?.database.meshId !== principal.meshId) {
      throw noSuchMesh(mesh);
    }
    return admit(principal);
  }

  /**
   * Authenticates a signed hello. If the key belongs to no member, the hello is refused like an invalid
   * signature.
   */
  async function findPrincipalBySignature(
    proof: SignatureProof,
    connection: HelloConnection,
  ): Promise<Principal | null> {
    const { meshId, memberKey } = verifyHello(proof, { ...connection, brokerId: database.brokerId });
    const publicKey = Buffer.from(memberKey, "base64url");
    const before = revocations.count;
    const member = await findMember(database.orm, meshId, { publicKey });
    if (!member || member.revokedAt !== null) return null;
    const { memberId, name, role, program } = member;
    const admittingToken = program === null ? null : await findTokenByNumber(database.orm, meshId, program);
    if (program !== null && !admittingToken) return null;
    const authority = { vouchedBy: memberId, token: null, program };
    const principal: Principal = { kind: "member", meshId, memberId, name, role, authority };
    revocations.noteLookUp(principal, {
      before,
      ...(admittingToken && { expiresAt: admittingToken.expiresAt }),
    });
    return principal;
  }

  const unauthenticated: Admission<Services> = {
    principal: auth === "open" ? { kind: "anyone", meshId: meshes.main.database.meshId } : null,
    services: meshes.main,
  };

  return {
    auth,
    unauthenticated,
    async authenticateRequest({ origin, method, readHeader, isForMcp = false }) {
      const mesh = readHeader("x-merkle-mesh");
      const bearer = readBearer(readHeader("authorization"));
      if (bearer !== undefined && isJobToken(bearer)) return admitTo(await findPrincipalByJob(bearer), mesh);
      if (bearer !== undefined)
        return admitTo(
          await findPrincipalByToken(bearer, isForMcp ? [...programTokenKinds, "client"] : programTokenKinds),
          mesh,
        );
      const browser = readBrowserToken(readHeader("cookie"), readHeader("x-merkle-page"), origin);
      const principal = browser === undefined ? null : await findPrincipalByToken(browser, ["browser"]);
      if (principal) {
        if (method !== "GET" && method !== "HEAD") requireSameOrigin(origin);
        return admitTo(principal, mesh);
      }
      return auth === "open" ? admitAnyone(mesh) : unauthenticated;
    },
    async authenticateHello({ mesh, proof }, connection) {
      if (!proof) {
        if (auth === "open") return admitAnyone(mesh);
        throw proofRefused();
      }
      switch (proof.kind) {
        case "signature":
          return admitTo(await findPrincipalBySignature(proof, connection), mesh);
        case "ticket":
          return admitTo(await findPrincipalByToken(proof.ticket, ["ticket"]), mesh);
        case "bearer":
          return admitTo(await findPrincipalByToken(proof.token, programTokenKinds), mesh);
      }
    },
    findPrincipalByToken,
  };
}

/** The kinds of token that programs send, in an Authorization header or a hello. */
const programTokenKinds: readonly TokenKind[] = ["bearer", "observer"];

function noSuchMesh(mesh: string): MerkleError {
  return new MerkleError(
    "not_found",
    `There is no mesh ${JSON.stringify(mesh.slice(0, 100))} on this broker, or you are not a member of it.`,
    { next: "list_meshes" },
  );
}

/**
 * Builds the error for a refused proof. The error gives no reason, because a reason would only help someone who
 * tries to forge a proof.
 */
function proofRefused(): MerkleError {
  return new MerkleError(
    "unauthorized",
    "Your credential is not valid: it is wrong, used up, expired or revoked. " +
      "Join with an invite (merkle join -), or get a new token or sign-in link from a member.",
    { needs: "membership" },
  );
}
