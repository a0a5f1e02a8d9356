/**
 * Calls a listener that the client's user provided. If the listener throws, the exception is rethrown
 * asynchronously, so that the runtime reports it without interrupting the client.
 */
export function callListener(call: () => void): void {
  try {
    call();
  } catch (fault) {
    queueMicrotask(() => {
      throw fault;
    });
  }
}
