import { secretKeyPrefix } from "./tab-secret";

/**
 * Removes the secret of a link from the URL before any other script runs, so that history, bookmarks and copied URLs never
 * contain it. The secret of a link to a session is redeemed on the sign-in page, which then opens the session. Like the
 * appearance script, this script is inline in the page. It also deletes verification codes that earlier versions shared between
 * tabs. If the link's page is already open, only the hash changes, so the script reloads the page.
 */
export const secretScript = `(() => {
  const { pathname, search, hash } = location;
  const keep = (what, text) => { try { sessionStorage.setItem(${JSON.stringify(secretKeyPrefix)} + what, text); } catch {} };
  const [, page] = /^\\/(join|sign-in)$/.exec(pathname) || [];
  const [, code] = /^#verify=(.+)/.exec(hash) || [];
  const [, carried] = /^#(?:observe|sign-in)=(.+)/.exec(hash) || [];
  try { localStorage.removeItem("merkle.verification"); } catch {}
  if (code) {
    keep("verification", code);
    history.replaceState(null, "", pathname + search);
  } else if (page && hash.length > 1) {
    keep(page, hash.slice(1));
    history.replaceState(null, "", pathname + search);
  } else if (carried && /^\\/sessions\\/[^/]/.test(pathname)) {
    keep("sign-in", carried);
    keep("then", pathname + search);
    location.replace("/sign-in");
  }
  addEventListener("hashchange", () => {
    if (page || /^#(?:verify|observe|sign-in)=/.test(location.hash)) location.reload();
  });
})()`;
