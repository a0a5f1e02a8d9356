import { createCipheriv, createECDH, hkdfSync, randomBytes, sign } from "node:crypto";
import type { AlertTo } from "@merkle/wire";
import type { AlertKey } from "../../core/alert-key.js";

type PushReceiver = Pick<Extract<AlertTo, { kind: "push" }>, "endpoint" | "p256dh" | "auth">;

/** How long a push service keeps a message for an absent browser, in seconds. */
const ttlSeconds = 24 * 60 * 60;

/**
 * Encrypts a message for one browser as a single record (RFC 8291, RFC 8188). The push service sees neither the
 * message nor the link in it.
 *
 * @throws if the browser's key is not a point on the curve
 */
export function encryptPush(text: string, { p256dh, auth }: PushReceiver): Buffer {
  const receiver = Buffer.from(p256dh, "base64url");
  const pair = createECDH("prime256v1");
  const sender = pair.generateKeys();
  const shared = pair.computeSecret(receiver);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), receiver, sender]);
  const input = hkdf(shared, Buffer.from(auth, "base64url"), info, 32);
  const salt = randomBytes(16);
  const key = hkdf(input, salt, "Content-Encoding: aes128gcm\0", 16);
  const nonce = hkdf(input, salt, "Content-Encoding: nonce\0", 12);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  // The trailing byte marks the last record.
  const ciphertext = Buffer.concat([
    cipher.update(`${text}\u0002`, "utf8"),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(4_096);
  return Buffer.concat([salt, size, Buffer.of(sender.length), sender, ciphertext]);
}

function hkdf(input: Buffer, salt: Buffer, info: Buffer | string, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", input, salt, info, bytes));
}

/**
 * Returns the headers that tell a push service who is sending and how long it may keep the message (RFC 8030,
 * RFC 8292).
 */
export function createPushHeaders(
  { endpoint }: PushReceiver,
  {
    vapid,
    contact,
    now,
  }: { readonly vapid: AlertKey["vapid"]; readonly contact: string; readonly now: Date },
): Record<string, string> {
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(now.getTime() / 1000) + 12 * 60 * 60,
    sub: contact,
  };
  const signingInput = [{ typ: "JWT", alg: "ES256" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const signature = sign("sha256", Buffer.from(signingInput), {
    key: vapid.privateKey,
    dsaEncoding: "ieee-p1363",
  });
  return {
    authorization: `vapid t=${signingInput}.${signature.toString("base64url")}, k=${vapid.publicKey}`,
    "content-encoding": "aes128gcm",
    "content-type": "application/octet-stream",
    ttl: String(ttlSeconds),
    urgency: "high",
  };
}
