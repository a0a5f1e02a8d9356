/** What every message of a measurement says: 300 bytes, as agents write them. */
export const messageText =
  "I moved the token check into the gateway and left the old one behind a flag, so both paths can be compared for a day. " +
  "The tests of the session store pass; the ones of the refresh flow need a fixture that Birch has on another branch. " +
  "Who reviews it? I start with the audit log now, see the notes.";
