import { chmod, cp, mkdir, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { getInstalledBinaries, prepareBinaries, toProgramPath } from "./binaries.js";
import { ask, makeTestHome, type TestHome } from "./test-support.js";

let home: TestHome;
let binaries: string;
beforeEach(async () => {
  home = await makeTestHome();
  binaries = join(home.path, "native");
});
afterEach(() => home.remove());

describe("the binaries of the npm package", () => {
  it("[DB-8] get the links that the install script would have made", {
    tags: ["long", "linux"],
  }, async () => {
    await cp(getInstalledBinaries(), binaries, { recursive: true, verbatimSymlinks: true });
    const lib = join(binaries, "lib");
    for (const entry of await readdir(lib, { withFileTypes: true })) {
      if (entry.isSymbolicLink()) await rm(join(lib, entry.name));
    }
    for (const program of ["initdb", "postgres"] as const)
      await chmod(toProgramPath(binaries, program), 0o644);

    const server = await home.start({ binaries });
    expect(await readlink(join(lib, "libpq.so.5"))).toBe("libpq.so.5.18");
    expect(await ask(server.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  it("[DB-9] are missing on a platform without them, and the sentence says what to do", () => {
    expect(() => getInstalledBinaries("linux-mips")).toThrow(
      expect.objectContaining({
        code: "platform_unsupported",
        message: expect.stringMatching(/no PostgreSQL binaries for linux-mips\..*set DATABASE_URL/),
      }),
    );
  });

  it("[DB-9] are refused when they do not run on this system", async () => {
    await mkdir(join(binaries, "bin"), { recursive: true });
    for (const program of ["initdb", "postgres"] as const) {
      await writeFile(toProgramPath(binaries, program), "#!/lib/ld-of-another-system\n", { mode: 0o755 });
    }
    await expect(prepareBinaries(binaries, home.path)).rejects.toMatchObject({
      code: "platform_unsupported",
      message: expect.stringContaining("do not run on this system"),
    });
  });
});
