import { execFileSync } from "node:child_process";
import type { Cleanup } from "./test-database.js";

/**
 * A separate network, like that of another machine. Programs that are started with `enter` see only its loopback
 * interface and one cable.
 */
export interface TestNetwork {
  readonly address: string;
  /** Command prefix that runs a program in this network. */
  readonly enter: readonly string[];
}

/** Returns whether this machine can create networks, which requires Linux, root and `ip`. */
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

/** Creates two networks that are connected only to each other. */
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
  return networks as unknown as readonly [TestNetwork, TestNetwork]; // Two names were mapped, so there are exactly two networks.
}

function ip(...args: string[]): void {
  execFileSync("ip", args, { stdio: "pipe" });
}
