import { execFileSync } from "node:child_process";
import type { Cleanup } from "./test-database.js";

/** A network of its own, as another machine has it: what runs under `enter` sees its own loopback and one cable. */
export interface TestNetwork {
  readonly address: string;
  /** The command that runs another one there. */
  readonly enter: readonly string[];
}

/** Whether this machine lets us make networks: Linux, as root, with `ip`. */
export function canMakeNetworks(): boolean {
  const name = `merkle-try-${process.pid}`;
  try {
    ip("netns", "add", name);
    ip("netns", "del", name);
    return true;
  } catch {
    return false;
  }
}

/** Two networks with one cable between them, and none to anywhere else. */
export function makeTwoNetworks(cleanup: Cleanup): readonly [TestNetwork, TestNetwork] {
  const names = ["a", "b"].map((end) => `merkle-${end}-${process.pid}`);
  const [first = "", second = ""] = names;
  for (const name of names) {
    ip("netns", "add", name);
    cleanup(async () => ip("netns", "del", name));
    ip("-n", name, "link", "set", "lo", "up");
  }
  ip("-n", first, "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", second);
  const addresses = ["10.86.0.1", "10.86.0.2"];
  const networks = names.map((name, index) => {
    const address = addresses[index] ?? "";
    ip("-n", name, "address", "add", `${address}/24`, "dev", "cable");
    ip("-n", name, "link", "set", "cable", "up");
    return { address, enter: ["ip", "netns", "exec", name] };
  });
  return networks as unknown as readonly [TestNetwork, TestNetwork]; // Two names were mapped.
}

function ip(...args: string[]): void {
  execFileSync("ip", args, { stdio: "pipe" });
}
