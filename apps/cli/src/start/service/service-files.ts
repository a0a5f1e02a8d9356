import { packageName } from "@merkle/wire/text";

/** The data for a service file: the program to run, and the folder and log to use. */
export interface ServiceFacts {
  /** The program and its arguments. Files are absolute paths. */
  readonly command: readonly string[];
  /**
   * The Merkle home, which is also the service's working folder. A service is not started from a shell, so
   * its variables are in the `.env` file of this folder.
   */
  readonly home: string;
  /** The `PATH` of the service. */
  readonly path: string;
  /** The file for the service's output on systems that keep no log. */
  readonly log: string;
}

/**
 * Returns a unit file for systemd's user instance. The service starts at login, or at boot after `loginctl
 * enable-linger`.
 */
export function formatSystemdUnit({ command, home, path }: ServiceFacts): string {
  return `[Unit]
Description=Merkle broker
Documentation=https://www.npmjs.com/package/${packageName}
After=network.target

[Service]
Type=exec
ExecStart=${command.map(quoteForSystemd).join(" ")}
WorkingDirectory=-${home.replaceAll("%", "%%")}
Environment=${quoteForSystemd(`MERKLE_HOME=${home}`)}
Environment=${quoteForSystemd(`PATH=${path}`)}
Restart=on-failure
RestartSec=2
TimeoutStopSec=30
LimitNOFILE=65536
NoNewPrivileges=yes

[Install]
WantedBy=default.target
`;
}

/** Quotes a string for systemd, which expands dollar and percent signs even inside quotes. */
function quoteForSystemd(text: string): string {
  const escaped = text.replace(/[\\"]/g, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$");
  return `"${escaped}"`;
}

/** Returns a property list for launchd. The service starts at login, and again after a failure. */
export function formatLaunchdPlist({ command, home, path, log }: ServiceFacts): string {
  const list = command.map((each) => `    <string>${escapeXml(each)}</string>`).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${launchdLabel}</string>
  <key>ProgramArguments</key>
  <array>
${list}
  </array>
  <key>WorkingDirectory</key>
  <string>${escapeXml(home)}</string>
  <key>EnvironmentVariables</key>
  <dict>
    <key>MERKLE_HOME</key>
    <string>${escapeXml(home)}</string>
    <key>PATH</key>
    <string>${escapeXml(path)}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ExitTimeOut</key>
  <integer>30</integer>
  <key>StandardOutPath</key>
  <string>${escapeXml(log)}</string>
  <key>StandardErrorPath</key>
  <string>${escapeXml(log)}</string>
</dict>
</plist>
`;
}

export const launchdLabel = "mesh.merkle.broker";

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
