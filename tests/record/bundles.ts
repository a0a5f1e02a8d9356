import { createHash, createPublicKey, hash, verify } from "node:crypto";
import { type RecordReport, type VerifyOptions, verifyBundle } from "@merkle/wire/record";
import { openZipBundle, type ZippedFiles } from "@merkle/wire/record/zip";
import { ZipWriter } from "@zip.js/zip.js/lib/zip-core-writer.js";

/** An opened bundle in memory. */
export interface Bundle extends ZippedFiles {
  readonly bytes: Uint8Array;
  text(name: string): Promise<string>;
  /** Returns the parsed lines in a file. */
  lines(name: string): Promise<Record<string, unknown>[]>;
}

/** Downloads an export. @throws an error with the response body if the export fails */
export async function download(
  url: string,
  session: string,
  form: "bundle" | "md" | "ndjson" = "bundle",
  headers: Record<string, string> = {},
): Promise<Uint8Array> {
  const response = await fetch(`${url}/api/sessions/${session}/export?as=${form}`, { headers });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (!response.ok) throw new Error(Buffer.from(bytes).toString());
  return bytes;
}

export async function openBundle(bytes: Uint8Array): Promise<Bundle> {
  const files = await openZipBundle({
    size: bytes.length,
    read: async (at, length) => bytes.slice(at, at + length),
  });
  const text = async (name: string) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of files.open(name) ?? []) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  return {
    ...files,
    bytes,
    text,
    lines: async (name) =>
      (await text(name))
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
  };
}

export async function exportBundle(url: string, session: string): Promise<Bundle> {
  return openBundle(await download(url, session));
}

export async function verifyWhole(
  bundle: Pick<ZippedFiles, "names" | "open">,
  options: Partial<VerifyOptions> = {},
): Promise<RecordReport> {
  return verifyBundle(bundle, {
    sha256: (bytes) => hash("sha256", bytes, "buffer"),
    createSha256: () => createHash("sha256"),
    verifySignature(publicKey, bytes, signature) {
      const x = Buffer.from(publicKey).toString("base64url");
      const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } });
      return verify(null, bytes, key, signature);
    },
    ...options,
  });
}

/** Returns the bundle with some files changed. A null value removes the file. */
export async function withFiles(
  bundle: Bundle,
  changes: Readonly<Record<string, string | null>>,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const writer = new ZipWriter(new WritableStream({ write: (chunk) => void chunks.push(chunk) }), {
    useWebWorkers: false,
    zip64: true,
  });
  for (const name of bundle.names) {
    const text = name in changes ? changes[name] : await bundle.text(name);
    if (typeof text === "string") await writer.add(name, new Blob([text]).stream());
  }
  await writer.close();
  return Buffer.concat(chunks);
}

/** Imports a bundle and returns the broker's response. */
export async function importInto(
  url: string,
  bytes: Uint8Array,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/api/import`, {
    method: "POST",
    headers: { "content-type": "application/zip", ...headers },
    body: Buffer.from(bytes),
  });
  return { status: response.status, body: await response.json() };
}

/** Packs these files into a bundle. */
export async function zipTexts(texts: ReadonlyMap<string, string>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const writer = new ZipWriter(new WritableStream({ write: (chunk) => void chunks.push(chunk) }), {
    useWebWorkers: false,
    zip64: true,
  });
  for (const [name, text] of texts) await writer.add(name, new Blob([text]).stream());
  await writer.close();
  return Buffer.concat(chunks);
}
