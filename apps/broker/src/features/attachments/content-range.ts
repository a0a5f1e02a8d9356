import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";

/** The part of a file that a request carries. `start` is null in a request that only asks how much has arrived. */
export interface SentRange {
  readonly start: number | null;
  /** Number of bytes in the request. */
  readonly length: number;
  /** Size of the whole file. */
  readonly size: number;
}

/**
 * Reads from an upload's headers which bytes it carries (RFC 9110, section 14.4). Without `Content-Range` they are the
 * whole file, so `Content-Length` is required.
 *
 * @throws bad_request, or payload_too_large for a file above the limit
 */
export function parseSentRange(headers: {
  readonly contentRange: string | undefined;
  readonly contentLength: string | undefined;
}): SentRange {
  const length = parseCount(headers.contentLength);
  const range = headers.contentRange === undefined ? null : parseContentRange(headers.contentRange);
  if (length === null && range?.start !== null)
    throw new MerkleError("bad_request", "An upload needs a Content-Length, and this request has none.");
  const sent = range ?? { start: 0, length: length ?? 0, size: length ?? 0 };
  if (sent.size > limits.attachmentBytesMax)
    throw new MerkleError(
      "payload_too_large",
      `A file can have at most ${limits.attachmentBytesMax} bytes, and this one has ${sent.size}.`,
      { bytes_max: limits.attachmentBytesMax },
    );
  if (sent.length !== (length ?? 0))
    throw new MerkleError(
      "bad_request",
      `Content-Range names ${sent.length} bytes, but Content-Length is ${length ?? 0}.`,
    );
  return sent;
}

function parseContentRange(text: string): SentRange {
  const [, first, last, total] = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15})$/.exec(text) ?? [];
  if (total === undefined) throw badRange(text);
  const size = Number(total);
  if (first === undefined || last === undefined) return { start: null, length: 0, size };
  const [start, end] = [Number(first), Number(last) + 1];
  if (start >= end || end > size) throw badRange(text);
  return { start, length: end - start, size };
}

function parseCount(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function badRange(text: string): MerkleError {
  return new MerkleError(
    "bad_request",
    `Expected a Content-Range such as "bytes 0-99/1000" or "bytes */1000", got ${JSON.stringify(text.slice(0, 100))}.`,
  );
}

/** The bytes that a download asks for. The end is exclusive. */
export interface RequestedRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads a `Range` header with one range. Returns null for the whole file: without the header, and for forms that
 * servers may ignore. Returns "unsatisfiable" if the file has none of the bytes (RFC 9110, section 14.2).
 */
export function parseRange(
  header: string | undefined,
  size: number,
): RequestedRange | "unsatisfiable" | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { from: size - length, to: size };
  }
  const from = Number(first);
  const to = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < from) return null;
  return from >= size ? "unsatisfiable" : { from, to };
}
