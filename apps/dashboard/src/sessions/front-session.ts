/** Storage key of the session (by slug or id) or file that a focused tab of this browser currently shows. */
const key = "merkle.front";
/** An entry older than this is ignored, because its tab may have been killed. */
const staleMs = 10_000;

/**
 * While the page has the focus, records which session or file it shows. Returns a function that stops the recording.
 */
export function announceFront(subject: string): () => void {
  const recordSubject = () => {
    if (document.hasFocus()) write(JSON.stringify({ subject, at: Date.now() }));
  };
  const leave = () => {
    if (read()?.subject === subject) write(null);
  };
  recordSubject();
  const timer = setInterval(recordSubject, staleMs / 2);
  window.addEventListener("focus", recordSubject);
  window.addEventListener("blur", leave);
  return () => {
    clearInterval(timer);
    window.removeEventListener("focus", recordSubject);
    window.removeEventListener("blur", leave);
    leave();
  };
}

export function isInFront({ subjects }: { readonly subjects: readonly string[] }): boolean {
  const front = read();
  return front !== null && Date.now() - front.at < staleMs && subjects.includes(front.subject);
}

function read(): { subject: string; at: number } | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    if (typeof value !== "object" || value === null || !("subject" in value) || !("at" in value)) return null;
    return { subject: String(value.subject), at: Number(value.at) };
  } catch {
    return null;
  }
}

function write(text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // If storage is unavailable, the browser may show a notification that is not needed.
  }
}
