import type { IncomingMessage } from "node:http";
import type { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { createTransferRate } from "../../core/transfer-rate.js";

/**
 * Reads the body of an upload as long as its sender is fast enough.
 *
 * @param createError - creates the error that ends the upload of a sender that is too slow
 */
export async function* readSteadily(
  incoming: IncomingMessage,
  createError: () => MerkleError,
): AsyncGenerator<Buffer> {
  let fail: (reason: MerkleError) => void = () => undefined;
  const rate = createTransferRate({
    bytesPerSecondMin: limits.transferBytesPerSecondMin,
    windowMs: limits.transferWindowMs,
    onSlow: () => fail(createError()),
  });
  // The connection must stay open when the loop ends early, because the reply is still sent over it.
  const chunks = incoming.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
  try {
    for (;;) {
      rate.wait();
      const { done, value } = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
        fail = reject;
        chunks.next().then(resolve, reject);
      });
      if (done) return;
      rate.count(value.length);
      yield value;
    }
  } finally {
    rate.stop();
  }
}
