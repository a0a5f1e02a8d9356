import type { SignatureProof } from "@merkle/wire";
import {
  answerHello,
  certificateMsMax,
  certifySessionKey,
  drawSeed,
  encodeCertificate,
  encodeHello,
  fromBase64url,
  toBase64url,
} from "@merkle/wire/identity";
import { deriveSigningKey } from "@merkle/wire/keys";
import { ClientFrame } from "@merkle/wire/schemas";
import { describe, expect, it } from "vitest";
import { createHelloChallenge, type HelloExpectation, verifyHello } from "./verify-hello.js";

const now = new Date("2026-11-22T12:00:00.000Z");
const skewMsMax = 5 * 60_000;
const brokerId = "7b0a3f0e-5a1c-4c8e-9f63-2d8f3f1c9b10";
const meshId = "0e5b0000-0000-4000-8000-000000000001";
const other = "0e5b0000-0000-4000-8000-000000000002";
const challenge = createHelloChallenge();
const { nonce } = challenge;
const memberKey = deriveSigningKey(drawSeed());
const sessionKey = deriveSigningKey(drawSeed());
const stranger = deriveSigningKey(drawSeed());
const signer = {
  brokerId,
  meshId,
  memberKey,
  sessionKey,
  label: "alex@laptop merkle mcp",
  session: "auth-refactor",
  url: "wss://Broker.Example:7423/ws",
};
const asked: HelloExpectation = {
  brokerId,
  nonce,
  isOwnOrigin: (origin) => origin === "https://broker.example:7423",
  now,
};
const honest = prove();

describe("An answer that was made for this hello", () => {
  it("[HELLO-3] [HELLO-5] shows whose it is, for which mesh and session", () => {
    expect(verifyHello(honest, asked)).toEqual({
      meshId,
      memberKey: memberKey.publicKey,
      sessionKey: sessionKey.publicKey,
      label: signer.label,
      session: "auth-refactor",
    });
    expect(verifyHello(prove({ session: null }), asked)).toMatchObject({ session: null });
  });

  it("[HELLO-5] holds whatever the order of its fields, and with a clock that is a little off", () => {
    const turned = {
      ...honest,
      statement: reversed(honest.statement),
      certificate: reversed(honest.certificate),
    };
    expect(JSON.stringify(turned)).not.toBe(JSON.stringify(honest));
    for (const proof of [turned, parse(turned)]) expect(verifyHello(proof, asked)).toMatchObject({ meshId });
    for (const skewMs of [-skewMsMax, skewMsMax]) {
      expect(verifyHello(prove({}, later(skewMs)), asked)).toMatchObject({ meshId });
    }
  });

  it("[HELLO-2] holds once: the nonce of a connection is random and is given away once", () => {
    const own = createHelloChallenge();
    expect(fromBase64url(own.nonce, 32)).toHaveLength(32);
    expect(own.nonce).not.toBe(nonce);
    expect([own.take(), own.take(), own.take()]).toEqual([own.nonce, null, null]);
  });
});

describe("An answer by a clock that is off", () => {
  it("[HELLO-7] is refused with the clock, the difference and both times named", () => {
    for (const [skewMs, apart] of [
      [-3_725_000, "1 h 2 min 5 s behind"],
      [301_000, "5 min 1 s ahead of"],
    ] as const) {
      const proof = prove({}, later(skewMs));
      expect(() => verifyHello(proof, asked)).toThrow(
        expect.objectContaining({
          code: "unauthorized",
          message: expect.stringContaining(
            `the clock of the machine that signed it is ${apart} the broker's`,
          ),
          details: {
            reason: "time",
            client_time: proof.statement.time,
            broker_time: now.toISOString(),
            skew_s: skewMs / 1_000,
          },
        }),
      );
    }
  });

  it("[HELLO-2] [HELLO-7] its nonce expires 30 s after the hello, by the broker's clock alone", () => {
    let ms = 0;
    const own = createHelloChallenge(() => ms);
    expect(own.isExpired).toBe(false);
    ms = 30_000;
    expect(own.isExpired).toBe(false);
    ms = 30_001;
    expect(own.isExpired).toBe(true);
  });
});

describe("An answer that was made for something else", () => {
  const foreign = { ...honest, certificate: { ...honest.certificate } };
  it.each<[string, SignatureProof, Partial<HelloExpectation>, string]>([
    ["replayed on another connection", honest, { nonce: createHelloChallenge().nonce }, "nonce"],
    ["given again on its own connection", honest, { nonce: null }, "nonce"],
    ["given to the broker after a restart", honest, { nonce: toBase64url(drawSeed()) }, "nonce"],
    ["relayed by a broker with another id", prove({ brokerId: other }), {}, "broker"],
    ["relayed by another host", prove({ url: "wss://evil.example/ws" }), {}, "origin"],
    ["relayed by who listens without TLS", prove({ url: "ws://broker.example:7423/ws" }), {}, "origin"],
    [
      "made by a client that signs no scheme",
      { ...honest, statement: { ...honest.statement, origin: undefined, host: "broker.example:7423" } },
      {},
      "client",
    ],
    [
      "made for another port of a name that is none here",
      prove({ url: "wss://broker.example:1/ws" }),
      {},
      "origin",
    ],
    ["too old", prove({}, later(-skewMsMax - 1)), {}, "time"],
    ["from the future", prove({}, later(skewMsMax + 1)), {}, "time"],
    [
      "certified too long ago",
      withCertificate({ issuedMs: -certificateMsMax, lastsMs: certificateMsMax }),
      {},
      "certificate",
    ],
    ["certified for later", withCertificate({ issuedMs: skewMsMax + 1, lastsMs: 1000 }), {}, "certificate"],
    [
      "certified for too long",
      withCertificate({ issuedMs: 0, lastsMs: certificateMsMax + 1 }),
      {},
      "certificate",
    ],
    ["certified backwards", withCertificate({ issuedMs: 0, lastsMs: -1000 }), {}, "certificate"],
    ["certified for another label", withCertificate({ label: "mallory" }), {}, "proof"],
    ["certified for another mesh", withCertificate({ mesh: other }), {}, "proof"],
    [
      "with the certificate of another session key",
      withCertificate({ key: stranger.publicKey }),
      {},
      "proof",
    ],
    ["certified by somebody else in the member's name", withCertificate({ by: stranger }), {}, "proof"],
    [
      "signed by the member's key in place of the session's",
      { ...honest, signature: memberKey.sign(encodeHello(honest.statement)) },
      {},
      "proof",
    ],
    [
      "signed by another session key",
      { ...honest, signature: stranger.sign(encodeHello(honest.statement)) },
      {},
      "proof",
    ],
    [
      "with its two signatures swapped",
      { ...honest, signature: honest.certificate_signature, certificate_signature: honest.signature },
      {},
      "proof",
    ],
    [
      "with another's member key in the certificate",
      { ...foreign, certificate: { ...foreign.certificate, member_key: stranger.publicKey } },
      {},
      "proof",
    ],
    [
      "with a signature for another purpose",
      { ...honest, signature: sessionKey.sign(encodeCertificate(honest.certificate)) },
      {},
      "proof",
    ],
    ["with a malleated signature", { ...honest, signature: malleated(honest.signature) }, {}, "proof"],
    [
      "with a malleated certificate",
      { ...honest, certificate_signature: malleated(honest.certificate_signature) },
      {},
      "proof",
    ],
    ["with keys of small order", withSmallOrderKeys(), {}, "proof"],
  ])("[HELLO-5] is refused: %s", (_name, proof, circumstances, reason) => {
    expectRefused(() => verifyHello(parse(proof), { ...asked, ...circumstances }), reason);
  });

  it("[HELLO-5] is refused with any byte of its keys, signatures and texts changed", () => {
    const { statement, certificate, signature, certificate_signature } = honest;
    for (let byte = 0; byte < 64; byte += 1) {
      expectRefused(() => verifyHello({ ...honest, signature: flipped(signature, 64, byte) }, asked));
      const forged = flipped(certificate_signature, 64, byte);
      expectRefused(() => verifyHello({ ...honest, certificate_signature: forged }, asked));
    }
    for (let byte = 0; byte < 32; byte += 1) {
      for (const field of ["member_key", "session_key"] as const) {
        const changed = { ...certificate, [field]: flipped(certificate[field], 32, byte) };
        expectRefused(() => verifyHello({ ...honest, certificate: changed }, asked));
      }
      const changed = { ...statement, nonce: flipped(statement.nonce, 32, byte) };
      expectRefused(() => verifyHello({ ...honest, statement: changed }, asked));
    }
    for (const changed of [
      { label: "alex@laptop merkle mcq" },
      { session: "auth-refactos" },
      { session: null },
      { mesh_id: other },
      { time: later(1).toISOString() },
    ]) {
      expectRefused(() => verifyHello({ ...honest, statement: { ...statement, ...changed } }, asked));
    }
  });
});

describe("What has not the form of an answer", () => {
  const { statement, certificate, signature } = honest;
  const bytes = fromBase64url(signature, 64) ?? new Uint8Array();
  const cut = Array.from({ length: 64 }, (_, length) => toBase64url(bytes.slice(0, length)));
  const key = fromBase64url(certificate.member_key, 32) ?? new Uint8Array();
  const cutKeys = Array.from({ length: 32 }, (_, length) => toBase64url(key.slice(0, length)));

  it.each<[string, unknown[]]>([
    ["a signature cut at any length", cut.map((each) => ({ ...honest, signature: each }))],
    ["a signature that is too long", [{ ...honest, signature: `${signature}AA` }]],
    [
      "a key cut at any length",
      cutKeys.map((each) => ({ ...honest, certificate: { ...certificate, member_key: each } })),
    ],
    [
      "base64 of another kind",
      [
        `${signature}==`,
        signature.replace(/.$/, "B"),
        ` ${signature.slice(1)}`,
        `+${signature.slice(1)}`,
        `/${signature.slice(1)}`,
      ].map((each) => ({ ...honest, signature: each })),
    ],
    [
      "spare bits of a nonce that are not 0",
      [{ ...honest, statement: { ...statement, nonce: nonce.replace(/.$/, "B") } }],
    ],
    [
      "a further field",
      [
        { ...honest, more: 1 },
        { ...honest, statement: { ...statement, more: 1 } },
        { ...honest, certificate: { ...certificate, role: "admin" } },
      ],
    ],
    [
      "a missing field",
      [
        { ...honest, certificate: undefined },
        { ...honest, statement: { ...statement, nonce: undefined } },
      ],
    ],
    [
      "a time in another form",
      [
        { ...honest, statement: { ...statement, time: "2026-11-22T12:00:00Z" } },
        { ...honest, statement: { ...statement, time: "2026-11-22T13:00:00.000+01:00" } },
      ],
    ],
  ])("[HELLO-5] %s is no frame at all", (_name, proofs) => {
    for (const proof of proofs) {
      expect(ClientFrame.safeParse({ type: "hello", id: 1, proof }), JSON.stringify(proof)).toMatchObject({
        success: false,
      });
    }
  });

  it("[HELLO-4] a member signs nothing for a broker with another id, and has nothing to prove to an open one", () => {
    const hello = { auth: "invite", broker_id: brokerId, nonce } as const;
    expectRefused(() => answerHello({ ...hello, broker_id: other }, signer));
    expectRefused(() => answerHello({ ...hello, broker_id: other, auth: "open" }, signer));
    expect(answerHello({ ...hello, auth: "open" }, signer)).toBeUndefined();
  });
});

function prove(changes: Partial<typeof signer> | { session: null } = {}, at = now): SignatureProof {
  const as = { ...signer, ...changes };
  const proof = answerHello({ auth: "invite", broker_id: as.brokerId, nonce }, as, at);
  if (!proof) throw new TypeError("An invite broker gets a proof.");
  return proof;
}

interface CertificateChanges {
  readonly issuedMs?: number;
  readonly lastsMs?: number;
  readonly label?: string;
  readonly mesh?: string;
  readonly key?: string;
  readonly by?: typeof memberKey;
}

/** Creates a proof whose certificate was changed and then signed correctly with the chosen key. */
function withCertificate(changes: CertificateChanges): SignatureProof {
  const { issuedMs = 0, lastsMs = 60_000, label = signer.label, mesh = meshId, by = memberKey } = changes;
  const { certificate } = certifySessionKey({
    meshId: mesh,
    memberKey,
    sessionKey: changes.key ?? sessionKey.publicKey,
    label,
    now,
  });
  const changed = {
    ...certificate,
    issued_at: later(issuedMs).toISOString(),
    expires_at: later(issuedMs + lastsMs).toISOString(),
  };
  return { ...honest, certificate: changed, certificate_signature: by.sign(encodeCertificate(changed)) };
}

function later(ms: number): Date {
  return new Date(now.getTime() + ms);
}

function parse(proof: SignatureProof): SignatureProof {
  const frame = ClientFrame.parse(JSON.parse(JSON.stringify({ type: "hello", id: 1, proof })));
  if (frame.type !== "hello" || frame.proof?.kind !== "signature") throw new TypeError("No signature came.");
  return frame.proof;
}

function reversed<Fields extends object>(fields: Fields): Fields {
  // The same fields in a different order have the same type.
  return Object.fromEntries(Object.entries(fields).reverse()) as Fields;
}

function flipped(text: string, length: number, byte: number): string {
  const bytes = fromBase64url(text, length) ?? new Uint8Array(length);
  bytes[byte] = (bytes[byte] ?? 0) ^ 0x01;
  return toBase64url(bytes);
}

/**
 * Adds the group order to the second half of a signature. The result is mathematically equivalent but has
 * different bytes.
 */
function malleated(signature: string): string {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const bytes = Buffer.from(signature, "base64url");
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString("hex")}`) + order;
  const half = Buffer.from(s.toString(16).padStart(64, "0"), "hex").reverse();
  return Buffer.concat([bytes.subarray(0, 32), half]).toString("base64url");
}

/**
 * Creates a proof with small-order keys. If the keys were not checked, an all-zero signature would be valid
 * for many messages.
 */
function withSmallOrderKeys(): SignatureProof {
  const point = toBase64url(Uint8Array.from({ length: 32 }, (_, index) => (index === 0 ? 1 : 0)));
  const zeros = toBase64url(Uint8Array.from({ length: 64 }, (_, index) => (index === 0 ? 1 : 0)));
  return {
    ...honest,
    certificate: { ...honest.certificate, member_key: point, session_key: point },
    certificate_signature: zeros,
    signature: zeros,
  };
}

function expectRefused(attempt: () => unknown, reason?: string): void {
  expect(attempt).toThrow(
    expect.objectContaining({
      code: "unauthorized",
      ...(reason !== undefined && { details: expect.objectContaining({ reason }) }),
    }),
  );
}
