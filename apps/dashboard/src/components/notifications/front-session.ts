/** The session that some tab of this browser shows in front, by slug or id, as that tab says while it is so. */
const key = "merkle.front";
/** A tab that was killed says nothing any more. */
const staleMs = 10_000;

/** Says, while a page has the focus, which session it shows; returns how to stop. */
export function announceFront(session: string): () => void {
  const tell = () => {
    if (document.hasFocus()) write(JSON.stringify({ session, at: Date.now() }));
  };
  const leave = () => {
    if (read()?.session === session) write(null);
  };
  tell();
  const timer = setInterval(tell, staleMs / 2);
  window.addEventListener("focus", tell);
  window.addEventListener("blur", leave);
  return () => {
    clearInterval(timer);
    window.removeEventListener("focus", tell);
    window.removeEventListener("blur", leave);
    leave();
  };
}

export function isInFront({ sessionId, slug }: { sessionId: string; slug: string }): boolean {
  const front = read();
  return front !== null && Date.now() - front.at < staleMs && [sessionId, slug].includes(front.session);
}

function read(): { session: string; at: number } | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    if (typeof value !== "object" || value === null || !("session" in value) || !("at" in value)) return null;
    return { session: String(value.session), at: Number(value.at) };
  } catch {
    return null;
  }
}

function write(text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // A browser that keeps nothing notifies once more than needed.
  }
}
