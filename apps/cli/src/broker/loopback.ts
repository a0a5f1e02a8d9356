import type { LookupFunction, TcpSocketConnectOpts } from "node:net";

/**
 * Resolves `localhost` to 127.0.0.1 before ::1, regardless of the system's configuration. A broker listens on
 * 127.0.0.1 by default, and another program may use the same port on ::1.
 */
const lookUpLoopback: LookupFunction = (_name, { family, all }, done) => {
  const isWanted = (each: { family: number }) =>
    family === undefined || family === 0 || Number(`${family}`.replace("IPv", "")) === each.family;
  const matches = addresses.filter(isWanted);
  const [first = addresses[0]] = matches;
  process.nextTick(() => (all ? done(null, [...matches]) : done(null, first.address, first.family)));
};

const addresses = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
] as const;

/**
 * Options for connecting to a loopback address. By default Node allows each address 250 ms, which a busy
 * machine can exceed. A loopback address accepts or refuses immediately, so a longer timeout costs nothing.
 */
export const toLoopback = {
  lookup: lookUpLoopback,
  autoSelectFamilyAttemptTimeout: 10_000,
} satisfies Pick<TcpSocketConnectOpts, "lookup" | "autoSelectFamilyAttemptTimeout">;
