/** The order matters, because most browsers also claim to be browsers further down in this list. */
const browsers: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdgA?\/(\d+)/, "Edge"],
  [/\bOPR\/(\d+)/, "Opera"],
  [/\bFirefox\/(\d+)/, "Firefox"],
  [/\b(?:Headless)?Chrome\/(\d+)/, "Chrome"],
  [/\bVersion\/(\d+).*\bSafari\//, "Safari"],
];

const systems: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bMac OS X\b/, "macOS"],
  [/\bWindows\b/, "Windows"],
  [/\bLinux\b/, "Linux"],
];

/** Describes a browser by its user agent, in words that its owner understands. An unknown user agent is returned as it is. */
export function describeBrowser(userAgent: string): string {
  const system = systems.find(([mark]) => mark.test(userAgent))?.[1];
  for (const [mark, name] of browsers) {
    const version = mark.exec(userAgent)?.[1];
    if (version !== undefined) return `${name} ${version}${system === undefined ? "" : ` on ${system}`}`;
  }
  return userAgent;
}
