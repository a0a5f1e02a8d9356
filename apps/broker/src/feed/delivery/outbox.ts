import { limits } from "@merkle/wire/limits";
import type { Sink } from "./subscription.js";

/** Sends one connection frames about things of which only the newest matters. */
export interface Outbox {
  /** Writes a frame, or keeps it in place of an earlier one of that name until the connection takes more. */
  offer(name: string, frame: Buffer): void;
  end(): void;
}

/**
 * Writes to a sink that takes more, and keeps the newest frame of each name for one that does not. What is kept is bounded:
 * a connection that falls further behind is cut off, and reads again when it is back.
 */
export function createOutbox(sink: Sink, cutOff: () => void): Outbox {
  // Made when it is needed: nearly every connection takes what comes, and each empty map would cost all of them.
  let waiting: Map<string, Buffer> | undefined;
  let bytes = 0;
  let ended = false;
  const stopDraining = sink.onDrain(flush);

  function flush(): void {
    for (const [name, frame] of waiting ?? []) {
      if (!sink.ready) return;
      waiting?.delete(name);
      bytes -= frame.length;
      sink.write(frame);
    }
    waiting = undefined;
  }

  function end(): void {
    ended = true;
    stopDraining();
    waiting = undefined;
  }

  return {
    offer(name, frame) {
      if (ended) return;
      if (sink.ready && !waiting) {
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
