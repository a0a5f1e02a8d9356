import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { findRunningBroker } from "../../broker/run-file.js";
import { removeServiceScript, writeServiceScript } from "../../clients/launcher-script.js";
import type { Command } from "../../command/command.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { hasProc } from "../../core/platform.js";
import { listFeatureSettings } from "../../feature-hooks.js";
import { listUsableNames } from "../../settings/env-files.js";
import { brokerNodeArgs } from "../../start/detach-broker.js";
import { installService, readService } from "../../start/service/manager.js";
import { endWithNewline } from "../../text/one-line.js";
import { getServiceFacts, getServiceManager } from "./this-service.js";

export const serviceInstall: Command = {
  name: "service install",
  summary: "install merkle up as a systemd or launchd service of this user; it restarts on failure",
  arguments: [{ name: "[flags...]", summary: "flags for merkle up, after --" }],
  flags: [{ flags: "--dry-run", summary: "print the service file without writing it" }],
  examples: [
    "merkle service install",
    "merkle service install -- --port 7500",
    "merkle service install --dry-run",
  ],
  offline: true,
  async run({ args, flags, config, output }) {
    const manager = getServiceManager(config);
    const facts = getServiceFacts(config, args);
    const text = manager.describe(facts);
    if (isSet(flags, "dryRun")) {
      output.print({ file: manager.file, text, changed: false }, endWithNewline(text));
      return exitCodes.done;
    }
    const isNew = (await readService(manager)) === null;
    if (isNew && (await findRunningBroker(config.home)) !== undefined)
      throw usageError(
        "A broker is already running for this home, and a service would start a second one.",
        "merkle down",
      );
    await mkdir(config.home, { recursive: true, mode: 0o700 });
    await writeServiceScript(config.home, brokerNodeArgs);
    try {
      await installService(manager, facts);
    } catch (error) {
      if (isNew) await removeServiceScript(config.home);
      throw error;
    }
    output.show({ file: manager.file, text, changed: true }, `${output.mark.ok} ${manager.file}`);
    const left = listUsableNames(Object.values(await listFeatureSettings())).filter(
      (name) => config.environment[name],
    );
    if (left.length > 0)
      output.note(
        `  the service does not get ${left.join(", ")} from this shell: set it in ${join(config.home, ".env")}, run merkle trust there, and install again`,
      );
    output.note("  merkle service status   ·   merkle service logs   ·   merkle service uninstall");
    if (hasProc()) output.note("  to keep it running while you are logged out: loginctl enable-linger");
    return exitCodes.done;
  },
};
