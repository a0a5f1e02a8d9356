import { connect } from "@merkle/wire/client";
import { Hub } from "./hub";
import type { PageMessage } from "./port";

/** Runs once for all tabs of a browser, and holds their one connection. The browser ends it with the last of them. */
// The pages came from there themselves: where that was clear text, refusing more of it would protect nobody.
const hub = new Hub(connect({ url: location.origin, insecure: true }));

self.addEventListener("connect", (event) => {
  if (!(event instanceof MessageEvent)) return;
  const [port] = event.ports;
  if (!port) return;
  const receive = hub.attach(port);
  port.addEventListener("message", ({ data }: MessageEvent<PageMessage>) => receive(data));
  port.start();
});
