import { buildNumber } from "@merkle/wire/build";

/** Names two builds of which the broker's is the older one. */
export function describeOlderBroker(build: number): string {
  return `This broker is older (build ${build}; this merkle is build ${buildNumber}).`;
}

/** The note on stderr of a command whose broker is of another build. */
export function otherBuildNote(build: number): string {
  if (build > buildNumber)
    return `This merkle command is older than its broker (build ${buildNumber}; the broker is build ${build}). Update it with: merkle upgrade --cli`;
  return `${describeOlderBroker(build)} The output leaves out what it does not support. Upgrade it on its machine.`;
}
