import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ReadableStream, TransformStream } from "node:stream/web";
import { MerkleError } from "@merkle/wire";
import { htmlRecord } from "@merkle/wire/record/html";
import type { PageBuild } from "../../core/page-build.js";
import { sha256 } from "../../core/sha256.js";

/** The HTML page for a record, split at the position where the record is inserted. */
export interface RecordPage {
  readonly head: string;
  readonly tail: string;
  /** SHA-256 hash of the entire template, as in the list of pages shipped with Merkle. */
  readonly sha256: string;
}

/**
 * Returns a function that returns the page template built with the dashboard. That function returns null if
 * there is no template or the build is still running. The template is cached because it is the same for every
 * record.
 */
export async function watchRecordPage(
  dashboard: string | undefined,
  build: PageBuild | undefined,
): Promise<() => RecordPage | null> {
  if (dashboard === undefined) return () => null;
  let page = build ? null : await readRecordPage(dashboard);
  void build?.dashboard.then(async () => {
    page = await readRecordPage(dashboard);
  });
  return () => page;
}

async function readRecordPage(dashboard: string): Promise<RecordPage | null> {
  try {
    const text = await readFile(join(dashboard, "record.template"), "utf8");
    const bundleStart = text.indexOf(htmlRecord.begin) + htmlRecord.begin.length;
    return { head: text.slice(0, bundleStart), tail: text.slice(bundleStart), sha256: sha256(text, "hex") };
  } catch (error) {
    if (Object(error).code !== "ENOENT") throw error;
    return null;
  }
}

/** @throws conflict if the broker serves no pages */
export function requirePage(page: RecordPage | null): RecordPage {
  if (page) return page;
  throw new MerkleError(
    "conflict",
    "This broker serves no pages, so it cannot export a record as a page. Choose another format.",
  );
}

/**
 * Inserts a bundle into the HTML page that verifies and shows records (EXPORT-9), chunk by chunk as the
 * bundle arrives.
 */
export function embedInPage(
  page: RecordPage,
  bundle: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  /** Base64 turns three bytes into four characters. Leftover bytes wait for the next chunk. */
  let rest: Buffer = Buffer.alloc(0);
  return bundle.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from(page.head)),
      transform(chunk, controller) {
        const bytes = Buffer.concat([rest, chunk]);
        const encodableBytes = bytes.length - (bytes.length % 3);
        rest = bytes.subarray(encodableBytes);
        if (encodableBytes > 0) controller.enqueue(Buffer.from(bytes.toString("base64", 0, encodableBytes)));
      },
      flush: (controller) => controller.enqueue(Buffer.from(rest.toString("base64") + page.tail)),
    }),
  );
}
