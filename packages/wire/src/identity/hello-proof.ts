import * as z from "zod";
import { Uuid } from "../core/values.js";

/**
 * 32 bytes in base64url without padding, in canonical form: the two unused bits of the last character are 0.
 */
export const Bytes32 = z.string().regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/, {
  error: "must be 32 bytes in base64url, without padding",
});

/** 64 bytes in the same form, with four unused bits. */
export const Bytes64 = z.string().regex(/^[A-Za-z0-9_-]{85}[AQgw]$/, {
  error: "must be 64 bytes in base64url, without padding",
});

const Moment = z.iso.datetime({ precision: 3 });
const Label = z.string().min(1).max(200);

/**
 * The certificate with which a member's key authorises a session key to act for the member, in one mesh and
 * for a limited time (HELLO-3).
 */
export const SessionCertificate = z.strictObject({
  mesh_id: Uuid,
  member_key: Bytes32,
  session_key: Bytes32,
  /** Description of the process for people, such as `alex@laptop merkle mcp`. */
  label: Label,
  issued_at: Moment,
  expires_at: Moment,
});
export type SessionCertificate = z.output<typeof SessionCertificate>;

/** The statement that a session key signs to answer one hello of one broker (HELLO-4). */
export const HelloStatement = z.strictObject({
  label: Label,
  broker_id: Uuid,
  mesh_id: Uuid,
  /** The session that the connection is for, by id or slug. Null if there is none. */
  session: z.string().min(1).max(100).nullable(),
  /** The scheme, host and port that the client dialled, as a URL's origin: `https://mesh.example.com`. */
  origin: z.string().min(1).max(300).optional(),
  /**
   * Signed by older clients instead of `origin`. It is parsed only to refuse them with a clear message, and
   * proves nothing.
   */
  host: z.string().min(1).max(300).optional(),
  /** Nonce of the answered hello. */
  nonce: Bytes32,
  time: Moment,
});
export type HelloStatement = z.output<typeof HelloStatement>;

/** Proof by a member's key: the statement, and the certificate of the key that signed it. */
export const SignatureProof = z.strictObject({
  kind: z.literal("signature"),
  statement: HelloStatement,
  signature: Bytes64,
  certificate: SessionCertificate,
  certificate_signature: Bytes64,
});
export type SignatureProof = z.output<typeof SignatureProof>;

/** The ways in which a client proves its identity when it answers the broker's hello. */
export const HelloProof = z.discriminatedUnion("kind", [
  SignatureProof,
  /** A signed-in page fetches a ticket, which can be used once. */
  z.strictObject({ kind: z.literal("ticket"), ticket: z.string().min(1).max(200) }),
  /** A member's or observer's token. */
  z.strictObject({ kind: z.literal("bearer"), token: z.string().min(1).max(200) }),
]);
export type HelloProof = z.output<typeof HelloProof>;

/** The output of the client's hello: the mesh of the connection, and the client's identity. */
export interface Admitted {
  readonly mesh_id: string;
  /** Name of the mesh. */
  readonly mesh: string;
  readonly as:
    | { readonly kind: "anyone" }
    | {
        readonly kind: "member";
        readonly member_id: string;
        readonly name: string;
        readonly role: "admin" | "member";
      }
    | { readonly kind: "observer"; readonly session_id: string };
}
