const retryMs = 2_000;

/**
 * Loads a module. If that fails, waits until the broker replies and tries once more, so that an action begun while the
 * broker was unreachable continues. Turbopack loads a chunk again after it has failed.
 *
 * @throws if the broker replies, but the module cannot be loaded
 */
export function loadModule<Module>(load: () => Promise<Module>): Promise<Module> {
  return load().catch(() => waitForBroker().then(load));
}

async function waitForBroker(): Promise<void> {
  // A proxy may reply although the broker does not.
  while (!(await fetch("/", { method: "HEAD" }).catch(() => null))?.ok)
    await new Promise((resolve) => setTimeout(resolve, retryMs));
}
