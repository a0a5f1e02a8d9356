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

/** Where somebody has been let in to: who it is, and the services of that mesh. */
export interface Admission<Services extends IdentityServices> {
  readonly principal: Principal | null;
  /** For somebody whom the broker does not know, the main mesh's: operations for anybody need some. */
  readonly services: Services;
}

/** The parts of a request over HTTP that say who sends it. */
export interface RequestClaims {
  readonly origin: RequestOrigin;
  readonly method: string;
  readonly header: (name: string) => string | undefined;
  /** Whether it is asked at the MCP endpoint, for which alone the tokens of OAuth are good (OAUTH-5). */
  readonly forMcp?: boolean | undefined;
}

/** Finds out, for all transports, who somebody is before anything else is looked at (ENTER-1). */
export interface Authenticator<Services extends IdentityServices> {
  readonly auth: "open" | "invite";
  /** The principal of somebody who has not proved to be one yet. */
  readonly unknown: Admission<Services>;
  /**
   * Over HTTP: by a bearer token, else by the two halves of what a browser is signed in by: its cookie alone is nobody.
   *
   * @throws unauthorized for a token that is given and proves nobody; not_found for a mesh that there is none of; forbidden
   * for what a page of another address asks for by cookie
   */
  byRequest(request: RequestClaims): Promise<Admission<Services>>;
  /**
   * Over a WebSocket: by what the client answers the broker's hello with.
   *
   * @throws unauthorized
   */
  byHello(answer: HelloAnswer, asked: AskedFrom): Promise<Admission<Services>>;
  /**
   * By a token of one of these kinds alone; null for one that proves nobody. What is good once is used up by it.
   */
  byToken(token: string, kinds: readonly TokenKind[]): Promise<Principal | null>;
}

/** The facts of a connection whose hello is answered, as far as its transport knows them. */
export type AskedFrom = Omit<AskedHello, "brokerId">;

export interface HelloAnswer {
  readonly mesh?: string | undefined;
  readonly proof?: HelloProof | undefined;
}

/** A token's principal is believed for so long without asking the database; one that ends here is dropped at once (ENTER-6). */
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
  // By the token's hash; the one that was looked up last stands last.
  const remembered = new Map<string, { readonly principal: Principal; readonly until: number }>();
  revocations.onRevoked(() => remembered.clear());

  /** The principal that a token in force lets in. */
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

  /** The agent of a job, for as long as it runs and its claim holds; nothing is remembered of it. */
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
    // A ticket is used up at once, and its connection lasts as long as the browser is signed in.
    if (kind === "ticket") {
      return toPrincipal(parent === null ? null : await findTokenByNumber(database.orm, meshId, parent));
    }
    const { expiresAt } = token;
    if (sessionId !== null) {
      const authority = { vouchedBy: createdBy, token: number, program };
      return { principal: { kind: "observer", meshId, sessionId, authority }, expiresAt };
    }
    if (memberId === null || !member) return { principal: null };
    // A link that signs in is used up, too: what was got by it ends with what the link itself was got by.
    const heldBy = kind === "sign_in" ? parent : number;
    // A node of an earlier version stores a token for programs without saying so.
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

  /** A token or key belongs to one mesh; who names another has mistaken one for the other. */
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

  /** A key that belongs to no member is refused as a signature that does not hold. */
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

/** Says no more than that: what was wrong with a proof helps those alone who try to forge one. */
function proofRefused(): MerkleError {
  return new MerkleError(
    "unauthorized",
    "Your credential is not valid: it is wrong, used up, expired or revoked. " +
      "Join with an invite (merkle join -), or get a new token or sign-in link from a member.",
    { needs: "membership" },
  );
}
