import {
  BlobReader,
  BlobWriter,
  configure,
  TextWriter,
  Uint8ArrayWriter,
  ZipReader,
  ZipWriter,
} from "@zip.js/zip.js";

// The library's web workers would outlive the tests.
configure({ useWebWorkers: false });

/** A file in the form that Playwright's `setInputFiles` accepts. */
export interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** Fetches a session's export, without a credential. */
export async function fetchBundle(brokerUrl: string, slug: string): Promise<ChosenFile> {
  const response = await fetch(`${brokerUrl}/api/sessions/${slug}/export?as=bundle`);
  if (!response.ok) throw new Error(`The export was answered ${response.status}: ${await response.text()}`);
  return toFile(`${slug}.zip`, new Uint8Array(await response.arrayBuffer()));
}

/** Returns the bundle with one of its files changed, as a forger might do. */
export async function withChange(
  bundle: ChosenFile,
  name: string,
  change: (text: string) => string,
): Promise<ChosenFile> {
  const reader = new ZipReader(new BlobReader(new Blob([new Uint8Array(bundle.buffer)])));
  const writer = new ZipWriter(new Uint8ArrayWriter());
  for (const entry of await reader.getEntries()) {
    if (entry.directory) continue;
    if (entry.filename === name) {
      const text = change(await entry.getData(new TextWriter()));
      await writer.add(name, new BlobReader(new Blob([text])));
    } else {
      await writer.add(entry.filename, new BlobReader(await entry.getData(new BlobWriter())));
    }
  }
  return toFile(`changed-${bundle.name}`, await writer.close());
}

export function toFile(name: string, bytes: Uint8Array): ChosenFile {
  return { name, mimeType: "application/zip", buffer: Buffer.from(bytes) };
}
