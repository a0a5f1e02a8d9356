import { packageName } from "@merkle/wire/text";

/** The broker as a service of this user: what it runs, and where it writes. */
export interface ServiceFacts {
  /** The program and its arguments, each absolute where it is a file. */
  readonly command: readonly string[];
  /** Where it is run, too: a service has no shell, and its variables are in the `.env` there. */
  readonly home: string;
  /** Variables beside `MERKLE_HOME` and `PATH`. */
  readonly path: string;
  /** The file that the service's own output goes to, where the system keeps none. */
  readonly log: string;
}

/** A unit of systemd's user instance: started at login, or at boot where `loginctl enable-linger` was said. */
export function systemdUnit({ command, home, path }: ServiceFacts): string {
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

/** \`$\` and \`%\` mean something to systemd within quotes, too. */
function quoteForSystemd(text: string): string {
  const escaped = text.replace(/[\\"]/g, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$");
  return `"${escaped}"`;
}

/** A property list of launchd: started at login, and again when it fails. */
export function launchdPlist({ command, home, path, log }: ServiceFacts): string {
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
