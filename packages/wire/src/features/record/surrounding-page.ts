import { toHex } from "../../core/hex.js";
import { findRecord } from "./html-bundle.js";
import type { GrowingHash } from "./read-bundle.js";
import { shippedPages } from "./shipped-pages.js";
import type { RandomAccess } from "./zip-bundle.js";

/** Whether a file is a page around a record and, if so, whether Merkle made that page. */
export type SurroundingPage = "none" | "known" | "foreign";

export interface PageOptions {
  readonly createSha256: () => GrowingHash;
  /** The hash of this build's own page, if it has one. */
  readonly ownPage: string | null;
}

/**
 * Compares everything around the record with the pages that Merkle ever shipped (VERIFY-15). A signature covers the record only, so
 * a page that is not on the list may show anything.
 *
 * @throws UnreadableZip for a page without a whole record
 */
export async function checkSurroundingPage(
  file: RandomAccess,
  options: PageOptions,
): Promise<SurroundingPage> {
  const place = await findRecord(file);
  if (place === null) return "none";
  // No page of ours is near this size, and a foreign one may have any.
  if (file.size - (place.end - place.start) > pageBytesMax) return "foreign";
  const hash = options.createSha256();
  hash.update(await file.read(0, place.start));
  hash.update(await file.read(place.end, file.size - place.end));
  const page = toHex(hash.digest());
  return page === options.ownPage || Object.values(shippedPages).includes(page) ? "known" : "foreign";
}

const pageBytesMax = 8 * 1024 * 1024;
