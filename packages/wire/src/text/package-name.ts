/** The name under which npm has Merkle; its command is `merkle`. `apps/cli/package.json` bears the same (PACK-1); code takes it from here. */
export const packageName = "@merkle-mesh/cli";

/** Says which of two versions is to be upgraded, and how. */
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

/** What runs Merkle where nothing but Node is installed. */
export const npxCommand = `npx -y ${packageName}`;
