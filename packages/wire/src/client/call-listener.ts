/**
 * Calls a listener of the client's user. An exception in it is rethrown asynchronously, so that the runtime
 * reports it and the client's own work is not interrupted.
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
