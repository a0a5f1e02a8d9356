import { limits } from "@merkle/wire/limits";
import type { Sink } from "./subscription.js";

/** Sends frames to one connection. If several frames with the same name are waiting, only the newest is sent. */
export interface Outbox {
  /**
   * Sends a frame. If the connection is not ready, the frame waits and replaces any waiting frame with the
   * same name.
   */
  offer(name: string, frame: Buffer): void;
  end(): void;
}

/**
 * Creates an outbox. It writes immediately while the sink is ready, and otherwise keeps the newest frame of
 * each name. The waiting bytes are limited: if a connection falls further behind, it is closed, and the
 * client reads everything again after reconnecting.
 */
export function createOutbox(sink: Sink, cutOff: () => void): Outbox {
  // Created when needed. Nearly every connection accepts each frame immediately, and an empty map per connection would cost
  // memory.
  let waiting: Map<string, Buffer> | undefined;
  let bytes = 0;
  let hasEnded = false;
  const stopDraining = sink.onDrain(flush);

  function flush(): void {
    for (const [name, frame] of waiting ?? []) {
      if (!sink.isReady) return;
      waiting?.delete(name);
      bytes -= frame.length;
      sink.write(frame);
    }
    waiting = undefined;
  }

  function end(): void {
    hasEnded = true;
    stopDraining();
    waiting = undefined;
  }

  return {
    offer(name, frame) {
      if (hasEnded) return;
      if (sink.isReady && !waiting) {
        sink.write(frame);
        return;
      }
      waiting ??= new Map();
      bytes += frame.length - (waiting.get(name)?.length ?? 0);
      waiting.set(name, frame);
      if (bytes <= limits.outboundBytesMax) return;
      end();
      cutOff();
    },
    end,
  };
}
