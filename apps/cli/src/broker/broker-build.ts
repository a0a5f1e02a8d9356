import { buildNumber } from "@merkle/wire";

/** Names two builds of which the broker's is the older one. */
export function describeOlderBroker(build: number): string {
  return `This broker is older (build ${build}; this merkle is build ${buildNumber}).`;
}

/** The note on stderr of a command whose broker is older. */
export function olderBrokerNote(build: number): string {
  return `${describeOlderBroker(build)} What it does not know is left out. Upgrade it where it runs.`;
}
