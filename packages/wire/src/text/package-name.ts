/**
 * Name of the npm package, whose command is `merkle`. `apps/cli/package.json` has the same name (PACK-1).
 * Code imports it from here.
 */
export const packageName = "@merkle-mesh/cli";

/** Says which of two versions should be upgraded, and how. */
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
