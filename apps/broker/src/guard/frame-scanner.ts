/** Follows where frames begin and end in the bytes of a client, without keeping or reading what is in them (RFC 6455, 5.2). */
export interface FrameScanner {
  /** Returns how many pieces of messages ended in it that are not their last. */
  take(chunk: Buffer): number;
  /** What of the last chunks belongs to a message that has not ended; nothing between two messages. */
  readonly unfinished: { readonly bytes: number; readonly pieces: number };
}

/** The first byte of a frame's head, the second, its longer lengths, and the mask with what it masks. */
type Part = "opening" | "size" | "length" | "payload";

export function createFrameScanner(): FrameScanner {
  let part: Part = "opening";
  let isLast = true;
  let isControl = false;
  /** Of the length, or of mask and payload. */
  let bytesLeft = 0;
  let length = 0;
  let bytes = 0;
  let pieces = 0;
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
    pieces = isLast ? 0 : pieces + 1;
    if (isLast) bytes = 0;
    else ended += 1;
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
  };
}
