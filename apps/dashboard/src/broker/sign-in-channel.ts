/** On it a page that signs the browser in or out tells all pages of the browser, itself included. */
const channelName = "merkle.signed-in";

/** Another principal is signed in now in this browser, or nobody. */
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
