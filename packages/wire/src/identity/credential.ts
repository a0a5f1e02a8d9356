/**
 * Splits a credential into its id and its secret. Returns null for any other text, including a bare team id.
 */
export function parseTeamCredential(credential: string): { teamId: string; secret: string } | null {
  const match = credentialPattern.exec(credential);
  return match?.[1] && match[2] ? { teamId: match[1], secret: match[2] } : null;
}

/**
 * Finds all substrings that have the form of a credential, including any that start within another
 * credential's secret. Only the broker knows whether a credential is valid. Takes linear time for any text.
 */
export function findTeamCredentials(text: string): string[] {
  const found: string[] = [];
  // Only the text around each `.mk_` is matched, so that the search is fast even in a long text of
  // near-credentials.
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
