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
import { hashToken, isJobToken, kindOfToken, nameOfToken } from "../tokens/token.js";
import { readBearer, readBrowserToken } from "./cookie.js";
import { type AskedHello, verifyHello } from "./verify-hello.js";

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
  readonly header: (name: string) => string | undefined;
  /** Whether the request is for the MCP endpoint, the only endpoint that accepts OAuth tokens (OAUTH-5). */
  readonly forMcp?: boolean | undefined;
}

/** Authenticates the clients of all transports before anything else in the request is processed (ENTER-1). */
export interface Authenticator<Services extends IdentityServices> {
  readonly auth: "open" | "invite";
  /** The admission of a client that has not authenticated. */
  readonly unknown: Admission<Services>;
  /**
   * Authenticates an HTTP request by its bearer token, or by both halves of a browser's token. The cookie
   * alone is not enough.
   *
   * @throws unauthorized for an invalid token; not_found for an unknown mesh; forbidden for a write with a
   * cookie if the page is from another origin
   */
  byRequest(request: RequestClaims): Promise<Admission<Services>>;
  /**
   * Authenticates a WebSocket by the client's answer to the broker's hello.
   *
   * @throws unauthorized
   */
  byHello(answer: HelloAnswer, asked: AskedFrom): Promise<Admission<Services>>;
  /** Returns the principal of a token of the given kinds, or null if the token is invalid. Uses up a single-use token. */
  byToken(token: string, kinds: readonly TokenKind[]): Promise<Principal | null>;
}

/** The facts about a connection that its transport provides for checking the answer to a hello. */
export type AskedFrom = Omit<AskedHello, "brokerId">;

export interface HelloAnswer {
  readonly mesh?: string | undefined;
  readonly proof?: HelloProof | undefined;
}

/**
 * How long a token's principal is cached without a database query. Revocations on this node drop it immediately (ENTER-6).
 */
const rememberMs = 1_000;

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
  const remembered = new Map<string, { readonly principal: Principal; readonly until: number }>();
  revocations.onRevoked(() => remembered.clear());

  /** Returns the principal of an active token. */
  async function byToken(text: string, kinds: readonly TokenKind[]): Promise<Principal | null> {
    const kind = kindOfToken(text);
    if (kind === null || !kinds.includes(kind)) return null;
    const hash = hashToken(text);
    const name = nameOfToken(text);
    const known = remembered.get(name);
    if (known && known.until > performance.now()) return known.principal;
    const isGoodOnce = kind === "sign_in" || kind === "ticket";
    const before = revocations.count;
    const token = isGoodOnce ? await takeToken(database.orm, hash) : await useToken(database.orm, hash);
    const { principal, expiresAt } = await toPrincipal(token);
    limiter.noteProof(name, principal !== null && !isGoodOnce);
    if (!principal) return null;
    revocations.noteLookUp(principal, { before, ...(expiresAt && { expiresAt }) });
    if (!isGoodOnce && before === revocations.count) remember(name, principal);
    return principal;
  }

  /**
   * Returns a job's agent as a principal while the job is running and its claim is valid. The result is not
   * cached.
   */
  async function byJob(text: string): Promise<Principal | null> {
    const job = await findJobBySecret(database.orm, hashToken(text));
    limiter.noteProof(nameOfToken(text), job !== null);
    if (!job) return null;
    const { meshId, number, kind, sessionId, root, path, fence } = job;
    const sourcePath = path === null ? null : `${root}/${path}`;
    return { kind: "job", meshId, job: number, jobKind: kind, sessionId, sourcePath, fence };
  }

  function remember(name: string, principal: Principal): void {
    remembered.delete(name);
    remembered.set(name, { principal, until: performance.now() + rememberMs });
    if (remembered.size <= limits.cachedCredentialsMax) return;
    const [oldest] = remembered.keys();
    if (oldest !== undefined) remembered.delete(oldest);
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
    const heldBy = kind === "sign_in" ? parent : number;
    // Nodes with an earlier version store tokens for programs without setting `program`.
    const ofProgram = isForPrograms(kind, parent) ? number : program;
    const authority = { vouchedBy: memberId, token: heldBy, program: ofProgram };
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
  async function bySignature(proof: SignatureProof, asked: AskedFrom): Promise<Principal | null> {
    const { meshId, memberKey } = verifyHello(proof, { ...asked, brokerId: database.brokerId });
    const publicKey = Buffer.from(memberKey, "base64url");
    const before = revocations.count;
    const member = await findMember(database.orm, meshId, { publicKey });
    if (!member || member.revokedAt !== null) return null;
    const { memberId, name, role, program } = member;
    const letInBy = program === null ? null : await findTokenByNumber(database.orm, meshId, program);
    if (program !== null && !letInBy) return null;
    const authority = { vouchedBy: memberId, token: null, program };
    const principal: Principal = { kind: "member", meshId, memberId, name, role, authority };
    revocations.noteLookUp(principal, { before, ...(letInBy && { expiresAt: letInBy.expiresAt }) });
    return principal;
  }

  const unknown: Admission<Services> = {
    principal: auth === "open" ? { kind: "anyone", meshId: meshes.main.database.meshId } : null,
    services: meshes.main,
  };

  return {
    auth,
    unknown,
    async byRequest({ origin, method, header, forMcp = false }) {
      const mesh = header("x-merkle-mesh");
      const bearer = readBearer(header("authorization"));
      if (bearer !== undefined && isJobToken(bearer)) return admitTo(await byJob(bearer), mesh);
      if (bearer !== undefined)
        return admitTo(await byToken(bearer, forMcp ? [...sentByPrograms, "client"] : sentByPrograms), mesh);
      const browser = readBrowserToken(header("cookie"), header("x-merkle-page"), origin);
      const principal = browser === undefined ? null : await byToken(browser, ["browser"]);
      if (principal) {
        if (method !== "GET" && method !== "HEAD") requireSameOrigin(origin);
        return admitTo(principal, mesh);
      }
      return auth === "open" ? admitAnyone(mesh) : unknown;
    },
    async byHello({ mesh, proof }, asked) {
      if (!proof) {
        if (auth === "open") return admitAnyone(mesh);
        throw proofRefused();
      }
      switch (proof.kind) {
        case "signature":
          return admitTo(await bySignature(proof, asked), mesh);
        case "ticket":
          return admitTo(await byToken(proof.ticket, ["ticket"]), mesh);
        case "bearer":
          return admitTo(await byToken(proof.token, sentByPrograms), mesh);
      }
    },
    byToken,
  };
}

/** The kinds of token that programs send, in an Authorization header or a hello. */
const sentByPrograms: readonly TokenKind[] = ["bearer", "observer"];

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
