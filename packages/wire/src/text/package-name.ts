/**
 * Name of the npm package that contains the command `merkle`. `apps/cli/package.json` repeats the name
 * (PACK-1). All other code imports it from here.
 */
export const packageName = "@merkle-mesh/cli";

/** Returns a sentence that says which of two versions should be upgraded, and how. */
export function adviseUpgrade({
  ours,
  brokers,
}: {
  readonly ours: string;
  readonly brokers: string;
}): string {
  const isOlder = ours.localeCompare(brokers, "en", { numeric: true }) < 0;
  return isOlder
    ? `The broker is ${brokers}, and this merkle is ${ours}: upgrade it with merkle upgrade --cli`
    : `This merkle is ${ours}, and the broker is ${brokers}: upgrade the broker on its machine, then merkle down and merkle up`;
}

/** The command that runs Merkle on a machine with only Node installed. */
export const npxCommand = `npx -y ${packageName}`;
