import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { type RecordReport, verifyBundle } from "@merkle/wire/record";
import { extractBundle } from "@merkle/wire/record/html";
import { checkSurroundingPage, type SurroundingPage } from "@merkle/wire/record/page";
import { openZipBundle, type RandomAccess, UnreadableZip } from "@merkle/wire/record/zip";
import { isSigned } from "../../core/is-signed.js";
import { sha256 } from "../../core/sha256.js";
import type { WorkerTask } from "../../core/workers/task.js";

/** An open file with random access. */
export interface OpenedFile extends RandomAccess {
  close(): Promise<void>;
}

export async function openFile(path: string): Promise<OpenedFile> {
  const file = await open(path, "r");
  const { size } = await file.stat();
  return {
    size,
    async read(offset, length) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    },
    close: () => file.close(),
  };
}

interface UploadedBundle {
  readonly path: string;
  /** The hash of this broker's own page for HTML records. */
  readonly ownPage: string | null;
}

export type VerifiedBundle = RecordReport & { readonly page: SurroundingPage };

export const verifyBundleTask: WorkerTask<UploadedBundle, VerifiedBundle | { readonly unreadable: string }> =
  {
    name: "verify_bundle",
    run: verifyBundleFile,
    isSmall: () => false,
  };

/**
 * Verifies a whole bundle. Runs in a worker thread, so that other callers are not delayed, even by a file
 * that unpacks to a huge size (IMPORT-7).
 */
export async function verifyBundleFile({
  path,
  ownPage,
}: UploadedBundle): Promise<VerifiedBundle | { readonly unreadable: string }> {
  const file = await openFile(path);
  const createSha256 = () => createHash("sha256");
  try {
    const page = await checkSurroundingPage(file, { createSha256, ownPage });
    const report = await verifyBundle(await openZipBundle(await extractBundle(file)), {
      sha256,
      createSha256,
      verifySignature: (publicKey, bytes, signature) =>
        isSigned(bytes, {
          key: Buffer.from(publicKey).toString("base64url"),
          signature: Buffer.from(signature).toString("base64url"),
        }),
    });
    return { ...report, page };
  } catch (error) {
    // Errors lose their class when they are passed between threads.
    if (error instanceof UnreadableZip) return { unreadable: error.message };
    throw error;
  } finally {
    await file.close();
  }
}
