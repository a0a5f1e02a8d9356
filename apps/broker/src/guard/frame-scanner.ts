import { limits } from "@merkle/wire";

/** Follows where frames begin and end in the bytes of a client, without keeping or reading what is in them (RFC 6455, 5.2). */
export interface FrameScanner {
  /** Returns how many pieces of messages ended in it that are not their last. */
  take(chunk: Buffer): number;
  /** What of the last chunks belongs to a message that has not ended; nothing between two messages. */
  readonly unfinished: { readonly bytes: number; readonly pieces: number };
  /** Whether a message has come in more small pieces than it may; it stays so. */
  readonly isCrumbled: boolean;
}

/** The first byte of a frame's head, the second, its longer lengths, and the mask with what it masks. */
type Part = "opening" | "size" | "length" | "payload";

/** Smaller ones are hardly ever sent but to make work; libraries that cut a message fill buffers of some KiB. */
export const smallPieceBytes = 256;

export function createFrameScanner(): FrameScanner {
  let part: Part = "opening";
  let isLast = true;
  let isControl = false;
  /** Of the length, or of mask and payload. */
  let bytesLeft = 0;
  let length = 0;
  let bytes = 0;
  let pieces = 0;
  let smallPieces = 0;
  let isCrumbled = false;
  let ended = 0;

  function beginPayload(): void {
    part = "payload";
    bytesLeft = 4 + length;
  }

  function endFrame(): void {
    part = "opening";
    // A ping in the middle of a message neither belongs to it nor ends it.
    if (isControl) {
      if (pieces === 0) bytes = 0;
      return;
    }
    if (isLast) {
      bytes = pieces = smallPieces = 0;
      return;
    }
    pieces += 1;
    ended += 1;
    if (length < smallPieceBytes) smallPieces += 1;
    if (smallPieces > limits.frameSmallFragmentsMax) isCrumbled = true;
  }

  function takeHead(byte: number): void {
    switch (part) {
      case "opening":
        isLast = (byte & 0x80) !== 0;
        isControl = (byte & 0x08) !== 0;
        part = "size";
        return;
      case "size":
        length = byte & 0x7f;
        if (length < 126) return beginPayload();
        bytesLeft = length === 126 ? 2 : 8;
        length = 0;
        part = "length";
        return;
      default:
        length = length * 256 + byte;
        bytesLeft -= 1;
        if (bytesLeft === 0) beginPayload();
    }
  }

  return {
    take(chunk) {
      ended = 0;
      for (let at = 0; at < chunk.length; ) {
        if (part !== "payload") {
          takeHead(chunk[at] ?? 0);
          at += 1;
          bytes += 1;
          continue;
        }
        const taken = Math.min(bytesLeft, chunk.length - at);
        at += taken;
        bytesLeft -= taken;
        bytes += taken;
        if (bytesLeft === 0) endFrame();
      }
      return ended;
    },
    get unfinished() {
      return { bytes, pieces };
    },
    get isCrumbled() {
      return isCrumbled;
    },
  };
}
