import * as z from "zod";
import { Uuid } from "../core/values.js";

/** 32 bytes in base64url without padding, in the one way they can be written: the last character's two spare bits are 0. */
export const Bytes32 = z.string().regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/, {
  error: "must be 32 bytes in base64url, without padding",
});

/** 64 bytes in the same form; here four bits are spare. */
export const Bytes64 = z.string().regex(/^[A-Za-z0-9_-]{85}[AQgw]$/, {
  error: "must be 64 bytes in base64url, without padding",
});

const Moment = z.iso.datetime({ precision: 3 });
const Label = z.string().min(1).max(200);

/** The certificate by which a member's key says of a session key that for so long, in this mesh, it speaks for the member (HELLO-3). */
export const SessionCertificate = z.strictObject({
  mesh_id: Uuid,
  member_key: Bytes32,
  session_key: Bytes32,
  /** The process, for people to read, such as `alex@laptop merkle mcp`. */
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
  /** The session that the connection is for, by id or slug, when it is for one. */
  session: z.string().min(1).max(100).nullable(),
  /** The scheme, host and port that the client dialled, as a URL's origin: `https://mesh.example.com`. */
  origin: z.string().min(1).max(300).optional(),
  /** Older clients sign this in place of the origin. It is read to refuse them with a sentence, and proves nothing. */
  host: z.string().min(1).max(300).optional(),
  /** The nonce of the hello that it answers. */
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

/** How a client proves who it is when it answers the broker's hello. */
export const HelloProof = z.discriminatedUnion("kind", [
  SignatureProof,
  /** A page that is signed in fetches a ticket, which is good once. */
  z.strictObject({ kind: z.literal("ticket"), ticket: z.string().min(1).max(200) }),
  /** A token of a member's or an observer's. */
  z.strictObject({ kind: z.literal("bearer"), token: z.string().min(1).max(200) }),
]);
export type HelloProof = z.output<typeof HelloProof>;

/** The output of the client's hello: where the connection is now, and as whom. */
export interface Admitted {
  readonly mesh_id: string;
  /** The mesh's name. */
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
