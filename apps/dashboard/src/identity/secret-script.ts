import { secretKeyPrefix } from "./kept-secret";

/**
 * Takes the secret of a link out of the address before anything else of the page runs, so that neither the history, a
 * bookmark nor a copied address has it. A link to a session that carries one, to look on there or to sign in, is used up by
 * the page that signs in, which leads back to the session. It is inline in the page, as the script for the appearance is.
 * Earlier versions kept the code of a link that verifies for all tabs; the script removes it. A link that is opened where its
 * page is open already changes the hash alone, and loads no page: then the page loads again.
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
