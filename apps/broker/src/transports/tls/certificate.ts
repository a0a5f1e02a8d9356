import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { createSecureContext, rootCertificates } from "node:tls";
import { isPosix } from "@merkle/db/files";
import { sha256 } from "../../core/sha256.js";
import { StartError } from "../../core/start-error.js";

/** The files of a certificate and its key, in PEM. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** A certificate that is valid now, with its key. */
export interface Certificate {
  /** The entire certificate file, including the certificates of intermediate authorities. */
  readonly cert: string;
  readonly key: string;
  /**
   * The host names and addresses for which the certificate was issued, in the form of a Host header. Wildcard
   * names are left out.
   */
  readonly names: readonly string[];
  readonly validTo: Date;
  /**
   * SHA-256 hash of the public key in base64 (as for `curl --pinnedpubkey`), or null if a public authority
   * signed the certificate.
   */
  readonly keyPin: string | null;
}

/**
 * Reads a certificate and its key, and checks that a broker can use them (TLS-2).
 *
 * @throws StartError that names the file, the problem and the remedy
 */
export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
  const cert = await readText("certificate", files.cert, async () => undefined);
  const key = await readText("key", files.key, (file) => refuseOpenKey(files.key, file));
  const parsed = parseCertificate(cert, files.cert);
  if (!parsed.checkPrivateKey(parseKey(key, files.key))) {
    throw badCertificate(
      `The key ${files.key} does not belong to the certificate ${files.cert}. Use a key and a certificate that were created together.`,
    );
  }
  const validTo = new Date(parsed.validTo);
  refuseWrongTime(files.cert, new Date(parsed.validFrom), validTo);
  refuseUnusable({ cert, key }, files);
  return {
    cert,
    key,
    names: toHostNames(parsed),
    validTo,
    keyPin: isPublic(cert) ? null : computeKeyPin(parsed),
  };
}

async function readText(
  what: string,
  path: string,
  check: (file: FileHandle) => Promise<void>,
): Promise<string> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    await check(file);
    return await file.readFile("utf8");
  } catch (error) {
    if (error instanceof StartError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    const problem = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    throw badCertificate(`The ${what} ${path} ${problem}. Correct its path or its permissions.`, error);
  } finally {
    await file?.close();
  }
}

/**
 * Refuses a key file that other users can read. Requires mode 0600, or 0640 if the owner or group is root, as
 * PostgreSQL and OpenSSH do.
 */
async function refuseOpenKey(path: string, file: FileHandle): Promise<void> {
  if (!isPosix()) return;
  const { mode, uid, gid } = await file.stat();
  const othersMask = uid === 0 || gid === 0 ? 0o037 : 0o077;
  if ((mode & othersMask) === 0) return;
  const octal = (mode & 0o777).toString(8).padStart(4, "0");
  throw badCertificate(
    `Others can read the key ${path} (mode ${octal}). Run: chmod 600 ${quoteShellWord(path)}`,
  );
}

function parseCertificate(text: string, path: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw badCertificate(
      `${path} contains no PEM certificate: expected a line -----BEGIN CERTIFICATE-----.`,
      error,
    );
  }
}

function parseKey(text: string, path: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    const isEncrypted = text.includes("ENCRYPTED");
    throw badCertificate(
      isEncrypted
        ? `The key ${path} has a passphrase, which cannot be entered when the broker starts. Use a key without a passphrase.`
        : `${path} contains no PEM private key: expected a line such as -----BEGIN PRIVATE KEY-----.`,
      error,
    );
  }
}

function refuseWrongTime(path: string, validFrom: Date, validTo: Date): void {
  const now = Date.now();
  if (now > validTo.getTime()) {
    throw badCertificate(`The certificate ${path} has expired (${validTo.toISOString()}). Renew it.`);
  }
  if (now < validFrom.getTime()) {
    throw badCertificate(
      `The certificate ${path} is not valid before ${validFrom.toISOString()}. Correct this machine's clock, or wait.`,
    );
  }
}

/**
 * Refuses problems that OpenSSL would report only when the certificate is served: a key that is too short, or
 * a broken intermediate certificate.
 */
function refuseUnusable(pair: { cert: string; key: string }, { cert }: CertificateFiles): void {
  try {
    createSecureContext({ ...pair, minVersion: "TLSv1.2" });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw badCertificate(
      `The certificate ${cert} cannot be used (${reason}). Create a new certificate.`,
      error,
    );
  }
}

/**
 * Returns whether the chain ends at a root certificate bundled with Node, so that a public authority signed
 * it.
 */
function isPublic(chain: string): boolean {
  const last = new X509Certificate(chain.slice(chain.lastIndexOf("-----BEGIN CERTIFICATE-----")));
  return rootCertificates.some((root) => {
    const authority = new X509Certificate(root);
    return last.checkIssued(authority) && last.verify(authority.publicKey);
  });
}

function computeKeyPin({ publicKey }: X509Certificate): string {
  return sha256(publicKey.export({ type: "spki", format: "der" }), "base64");
}

/**
 * Returns a certificate's host names without wildcards. Other hosts that match a wildcard may belong to other
 * people, whose pages must not call the broker (AUTH-9).
 */
function toHostNames({ subjectAltName = "" }: X509Certificate): string[] {
  return subjectAltName.split(", ").flatMap((entry) => {
    const [, kind, value = ""] = /^(DNS|IP Address):([a-z0-9.:_-]+)$/i.exec(entry) ?? [];
    if (kind === undefined) return [];
    const host = kind === "DNS" || !value.includes(":") ? value : `[${value}]`;
    return URL.canParse(`http://${host}`) ? [new URL(`http://${host}`).hostname] : [];
  });
}

function quoteShellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function badCertificate(message: string, cause?: unknown): StartError {
  return new StartError("bad_certificate", message, { cause });
}
