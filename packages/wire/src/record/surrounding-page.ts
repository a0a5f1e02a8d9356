import { toHex } from "../core/hex.js";
import { findRecord } from "./html-bundle.js";
import type { GrowingHash } from "./read-bundle.js";
import { shippedPages } from "./shipped-pages.js";
import type { RandomAccess } from "./zip-bundle.js";

/** Whether a file contains a page around the record, and whether Merkle made that page. */
export type SurroundingPage = "none" | "known" | "foreign";

export interface PageOptions {
  readonly createSha256: () => GrowingHash;
  /** Hash of this build's own page, if the build has one. */
  readonly ownPage: string | null;
}

/**
 * Compares everything around the record with the pages that Merkle has released (VERIFY-15). Signatures cover
 * only the record, so an unknown page could display anything.
 *
 * @throws UnreadableZip if a page has no complete record
 */
export async function checkSurroundingPage(
  file: RandomAccess,
  options: PageOptions,
): Promise<SurroundingPage> {
  const place = await findRecord(file);
  if (place === null) return "none";
  // Merkle's pages are much smaller than this limit. Other pages may have any size, so they are not read.
  if (file.size - (place.end - place.start) > pageBytesMax) return "foreign";
  const hash = options.createSha256();
  hash.update(await file.read(0, place.start));
  hash.update(await file.read(place.end, file.size - place.end));
  const page = toHex(hash.digest());
  return page === options.ownPage || Object.values(shippedPages).includes(page) ? "known" : "foreign";
}

const pageBytesMax = 8 * 1024 * 1024;
