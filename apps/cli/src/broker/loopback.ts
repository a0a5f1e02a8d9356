import type { LookupFunction, TcpSocketConnectOpts } from "node:net";

/**
 * The addresses of `localhost`, 127.0.0.1 before ::1, whatever the system has for it: a broker listens on 127.0.0.1 by
 * default, and another program may answer at the same port of ::1.
 */
const lookUpLoopback: LookupFunction = (_name, { family, all }, done) => {
  const isWanted = (each: { family: number }) =>
    family === undefined || family === 0 || Number(`${family}`.replace("IPv", "")) === each.family;
  const found = addresses.filter(isWanted);
  const [first = addresses[0]] = found;
  process.nextTick(() => (all ? done(null, [...found]) : done(null, first.address, first.family)));
};

const addresses = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
] as const;

/**
 * How a connection to a loopback address is made. Node gives each address 250 ms, which a busy machine exceeds; a loopback
 * address accepts or refuses at once.
 */
export const toLoopback = {
  lookup: lookUpLoopback,
  autoSelectFamilyAttemptTimeout: 10_000,
} satisfies Pick<TcpSocketConnectOpts, "lookup" | "autoSelectFamilyAttemptTimeout">;
