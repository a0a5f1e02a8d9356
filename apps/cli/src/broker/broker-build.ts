import { buildNumber } from "@merkle/wire/build";

/** Returns a sentence saying that the broker is older than this command, with both build numbers. */
export function describeOlderBroker(build: number): string {
  return `This broker is older (build ${build}; this merkle is build ${buildNumber}).`;
}

/** Returns the note printed on stderr if the broker's build differs from this command's. */
export function describeOtherBuild(build: number): string {
  if (build > buildNumber)
    return `This merkle command is older than its broker (build ${buildNumber}; the broker is build ${build}). Update it with: merkle upgrade --cli`;
  return `${describeOlderBroker(build)} The output leaves out what it does not support. Upgrade it on its machine.`;
}
