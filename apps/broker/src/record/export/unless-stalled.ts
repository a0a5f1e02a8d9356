import { ReadableStream } from "node:stream/web";

export interface StallOptions {
  readonly stalledMs: number;
  /** Told once, however it ended. */
  readonly onEnd: () => void;
  /** Told before that of what went wrong at the source. */
  readonly onError: (error: unknown) => void;
}

/**
 * The same bytes for somebody who might stop taking them: what is asked for nothing for so long is given up, since a
 * connection that is held open would otherwise hold its source for ever.
 */
export function unlessStalled(
  source: ReadableStream<Uint8Array>,
  { stalledMs, onEnd, onError }: StallOptions,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let timer: NodeJS.Timeout | undefined;

  function end(): void {
    clearTimeout(timer);
    onEnd();
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        watch(controller);
      },
      async pull(controller) {
        clearTimeout(timer);
        try {
          const { done, value } = await reader.read();
          if (done) {
            end();
            controller.close();
            return;
          }
          controller.enqueue(value);
          watch(controller);
        } catch (error) {
          onError(error);
          end();
          controller.error(error);
        }
      },
      async cancel(reason) {
        end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );

  function watch(controller: { error(reason: unknown): void }): void {
    timer = setTimeout(() => {
      const stalled = new Error(`Nothing was taken of it for ${stalledMs / 1_000} s.`);
      end();
      controller.error(stalled);
      // Whoever reads has been told; what it was read from writes nothing.
      void reader.cancel(stalled).catch(() => undefined);
    }, stalledMs);
    timer.unref();
  }
}
