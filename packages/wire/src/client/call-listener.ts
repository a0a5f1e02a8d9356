/**
 * Calls a listener of the client's user. What it throws is a fault of its own: it is thrown on its own as well, where
 * the runtime reports it, and neither hidden nor let loose in the middle of the client's work.
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
