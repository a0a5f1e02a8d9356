/** A page that signs the browser in or out notifies all pages of the browser here, itself included. */
const channelName = "merkle.signed-in";

/** Another principal, or nobody, is signed in now. */
export function announceSignIn(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage("changed");
  channel.close();
}

/** Listens until the signal is aborted. */
export function onSignIn(listener: () => void, signal: AbortSignal): void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener("message", listener);
  signal.addEventListener("abort", () => channel.close());
}
