import { limits } from "@merkle/wire/limits";
import { countUtf8Bytes } from "@merkle/wire/text";

/**
 * Returns as many of the first rows as fit within a page's byte limit. Always returns at least one row, so
 * that paging makes progress.
 */
export function fillPage<Row>(rows: readonly Row[]): Row[] {
  let bytes = 0;
  const beyond = rows.findIndex((row) => {
    bytes += countUtf8Bytes(JSON.stringify(row));
    return bytes > limits.pageBytesMax;
  });
  return rows.slice(0, beyond === -1 ? rows.length : Math.max(1, beyond));
}
