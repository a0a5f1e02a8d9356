/** Takes a credential apart, or returns null for anything else, a bare team id included. */
export function parseTeamCredential(credential: string): { teamId: string; secret: string } | null {
  const match = credentialPattern.exec(credential);
  return match?.[1] && match[2] ? { teamId: match[1], secret: match[2] } : null;
}

/**
 * Finds every text that has the form of a credential, also where one begins within another's secret; whether one is live
 * only the broker can say. The time it takes grows with the length of the text, whatever the text.
 */
export function findTeamCredentials(text: string): string[] {
  const found: string[] = [];
  // Looking only around the mark keeps a long text that is nearly full of credentials cheap.
  const form = new RegExp(credentialForm, "y");
  for (let mark = text.indexOf(".mk_"); mark !== -1; mark = text.indexOf(".mk_", mark + 1)) {
    form.lastIndex = mark - uuidChars;
    const match = mark >= uuidChars && form.exec(text);
    if (match) found.push(match[0]);
  }
  return found;
}

const credentialForm = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.mk_([A-Za-z0-9_-]{43})/;
const credentialPattern = new RegExp(`^${credentialForm.source}$`);
const uuidChars = 36;
