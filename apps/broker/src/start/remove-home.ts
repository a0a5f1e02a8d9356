import { rm } from "node:fs/promises";
import {
  findOutsideData,
  lockHome,
  type OutsideData,
  removeOutsideData,
  stopOrphanedServers,
} from "@merkle/db/embedded";

export { findOutsideData, type OutsideData };

/**
 * Removes a home's files, and the data that its database stores outside the home. Locks the home during the
 * removal, so that no broker can start.
 *
 * @throws EmbeddedPostgresError `home_in_use` if a broker has locked the home; nothing is changed
 */
export async function removeHomeData(
  home: string,
  paths: readonly string[],
  outside: OutsideData,
): Promise<void> {
  const lock = await lockHome(home);
  try {
    await stopOrphanedServers(home);
    await removeOutsideData(home, outside);
    for (const path of paths)
      await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  } finally {
    await lock.release();
  }
}
