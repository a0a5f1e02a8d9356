import { limits } from "@merkle/wire/limits";
import { utf8Bytes } from "@merkle/wire/text";

/** The first of some rows, as many as a page may hold in bytes, and at least one, so that the next page goes on. */
export function fillPage<Row>(rows: readonly Row[]): Row[] {
  let bytes = 0;
  const beyond = rows.findIndex((row) => {
    bytes += utf8Bytes(JSON.stringify(row));
    return bytes > limits.pageBytesMax;
  });
  return rows.slice(0, beyond === -1 ? rows.length : Math.max(1, beyond));
}
