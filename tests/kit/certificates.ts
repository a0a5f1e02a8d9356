import { generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { isIPv4 } from "node:net";
import { join } from "node:path";

/** A certificate for one test and its private key, in PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateWish {
  /** DNS names and IPv4 addresses. Default: `localhost` and `127.0.0.1`. */
  readonly names?: readonly string[];
  /** The certificate that signs this certificate. Default: self-signed. */
  readonly issuer?: TestCertificate;
  readonly from?: Date;
  readonly to?: Date;
  readonly isAuthority?: boolean;
}

const dayMs = 86_400_000;

/** Creates a certificate (RFC 5280) without calling other programs. Default validity: from yesterday until tomorrow. */
export function makeCertificate({
  names = ["localhost", "127.0.0.1"],
  issuer,
  from = new Date(Date.now() - dayMs),
  to = new Date(Date.now() + dayMs),
  isAuthority = false,
}: CertificateWish = {}): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const subject = nameOf(`Merkle test ${randomBytes(4).toString("hex")}`);
  const signer = issuer ? { key: issuer.key, name: subjectOf(issuer) } : { key: privateKey, name: subject };
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    signer.name,
    sequence(time(from), time(to)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    explicit(3, sequence(alternativeNames(names), constraints(isAuthority))),
  );
  const signature = sign("sha256", body, signer.key);
  const der = sequence(body, ecdsaWithSha256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return { cert: toPem("CERTIFICATE", der), key: pemOf(privateKey) };
}

/** Writes a certificate and its key to files for a broker. Only the owner can read the key. */
export async function writeCertificate(
  folder: string,
  { cert, key }: TestCertificate,
): Promise<{ cert: string; key: string }> {
  const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  await writeFile(files.cert, cert);
  await writeFile(files.key, key, { mode: 0o600 });
  return files;
}

const ecdsaWithSha256 = sequence(objectId("2a8648ce3d040302"));

function nameOf(commonName: string): Buffer {
  return sequence(tagged(0x31, sequence(objectId("550403"), tagged(0x0c, Buffer.from(commonName)))));
}

/** Returns the subject of a certificate in DER. The subject contains only a common name. */
function subjectOf({ cert }: TestCertificate): Buffer {
  return nameOf(new X509Certificate(cert).subject.replace(/^CN=/, ""));
}

function alternativeNames(names: readonly string[]): Buffer {
  const entries = names.map((name) =>
    isIPv4(name) ? tagged(0x87, Buffer.from(name.split(".").map(Number))) : tagged(0x82, Buffer.from(name)),
  );
  return extension("551d11", sequence(...entries));
}

function constraints(isAuthority: boolean): Buffer {
  return extension("551d13", sequence(...(isAuthority ? [tagged(0x01, Buffer.from([0xff]))] : [])));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), tagged(0x04, value));
}

function time(date: Date): Buffer {
  return tagged(0x18, Buffer.from(date.toISOString().replace(/[-:T]|\.\d+/g, "")));
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

function objectId(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

function explicit(number: number, content: Buffer): Buffer {
  return tagged(0xa0 + number, content);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

function toPem(label: string, der: Buffer): string {
  const lines = der.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

function pemOf(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
