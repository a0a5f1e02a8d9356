import * as z from "zod";
import { Uuid } from "../core/values.js";

/** 32 bytes in base64url without padding. The two unused bits of the last character must be 0. */
export const Bytes32 = z.string().regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/, {
  error: "must be 32 bytes in base64url, without padding",
});

/** 64 bytes in base64url without padding. The four unused bits of the last character must be 0. */
export const Bytes64 = z.string().regex(/^[A-Za-z0-9_-]{85}[AQgw]$/, {
  error: "must be 64 bytes in base64url, without padding",
});

const Moment = z.iso.datetime({ precision: 3 });
const Label = z.string().min(1).max(200);

/**
 * A certificate by which a member's key authorises a session key to act for the member, in one mesh and for a
 * limited time (HELLO-3).
 */
export const SessionCertificate = z.strictObject({
  mesh_id: Uuid,
  member_key: Bytes32,
  session_key: Bytes32,
  /** Human-readable description of the process that uses the key, such as `alex@laptop merkle mcp`. */
  label: Label,
  issued_at: Moment,
  expires_at: Moment,
});
export type SessionCertificate = z.output<typeof SessionCertificate>;

/** The statement that a session key signs in order to answer one hello from one broker (HELLO-4). */
export const HelloStatement = z.strictObject({
  label: Label,
  broker_id: Uuid,
  mesh_id: Uuid,
  /** Id or slug of the session that the connection is for. Null if there is none. */
  session: z.string().min(1).max(100).nullable(),
  /** The scheme, host and port that the client dialled, written as an origin: `https://mesh.example.com`. */
  origin: z.string().min(1).max(300).optional(),
  /**
   * Older clients sign this instead of `origin`. It proves nothing, and is accepted by the schema only so
   * that these clients can be refused with a clear message.
   */
  host: z.string().min(1).max(300).optional(),
  /** The nonce of the hello that is being answered. */
  nonce: Bytes32,
  time: Moment,
});
export type HelloStatement = z.output<typeof HelloStatement>;

/**
 * A proof made with a member's key. It consists of the statement and the certificate for the session key that
 * signed the statement.
 */
export const SignatureProof = z.strictObject({
  kind: z.literal("signature"),
  statement: HelloStatement,
  signature: Bytes64,
  certificate: SessionCertificate,
  certificate_signature: Bytes64,
});
export type SignatureProof = z.output<typeof SignatureProof>;

/** The ways in which a client can prove its identity when it answers the broker's hello. */
export const HelloProof = z.discriminatedUnion("kind", [
  SignatureProof,
  /** A ticket that can be used once. It is fetched by a page on which a person is signed in. */
  z.strictObject({ kind: z.literal("ticket"), ticket: z.string().min(1).max(200) }),
  /** The token of a member or observer. */
  z.strictObject({ kind: z.literal("bearer"), token: z.string().min(1).max(200) }),
]);
export type HelloProof = z.output<typeof HelloProof>;

/** The reply to the client's hello: the mesh that the connection is for, and the client's identity. */
export interface HelloResult {
  readonly mesh_id: string;
  /** Name of the mesh that the connection is for. */
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
