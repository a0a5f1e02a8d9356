import { ReadableStream } from "node:stream/web";
import { createTransferRate, type TransferRateOptions } from "../../core/transfer-rate.js";

export interface StallOptions extends Pick<TransferRateOptions, "bytesPerSecondMin" | "windowMs"> {
  /** Schedules each read of the source. */
  readonly runWork: <Result>(read: () => Promise<Result>) => Promise<Result>;
  /** Called once when the stream ends, with or without an error. */
  readonly onEnd: () => void;
  /** Called before onEnd if the source fails. */
  readonly onError: (error: unknown) => void;
}

/**
 * Passes bytes on to a client, and ends the stream if the client reads too slowly (EXPORT-7). The source
 * is read only when the client has room, so the broker does no work while the socket is full.
 */
export function cancelIfStalled(
  source: ReadableStream<Uint8Array>,
  { bytesPerSecondMin, windowMs, runWork, onEnd, onError }: StallOptions,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let fail: (reason: unknown) => void = () => undefined;
  const rate = createTransferRate({ bytesPerSecondMin, windowMs, onSlow: giveUp });

  function end(): void {
    rate.stop();
    onEnd();
  }

  function giveUp(): void {
    const stalled = new Error(`The client took less than ${bytesPerSecondMin} bytes a second.`);
    end();
    fail(stalled);
    // The client has already been sent the stall error, so it does not matter if cancelling the source fails.
    void reader.cancel(stalled).catch(() => undefined);
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        fail = (reason) => controller.error(reason);
        rate.wait();
      },
      async pull(controller) {
        rate.count(0);
        try {
          const { done, value } = await runWork(() => reader.read());
          if (done) {
            end();
            controller.close();
            return;
          }
          controller.enqueue(value);
          rate.count(value.length);
          rate.wait();
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
}
