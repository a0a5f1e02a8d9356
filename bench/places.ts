/** A session and the credential of a team in it. */
export interface Place {
  readonly session_id: string;
  readonly team_id: string;
}

/** The sessions of one run. */
export interface Places {
  readonly posting: Place;
  readonly hundred: readonly Place[];
  readonly reading: Place;
  /** Teams in the session `reading`. */
  readonly readers: readonly Place[];
}

export async function openPlaces(url: string): Promise<Places> {
  const hundred: Place[] = [];
  const readers: Place[] = [];
  const reading = await createSession(url, "reading");
  for (let i = 1; i <= 100; i += 1) {
    hundred.push(await createSession(url, `${i} of 100`));
    readers.push(await joinSession(url, reading, `Reader ${i}`));
  }
  return { posting: await createSession(url, "posting"), hundred, reading, readers };
}

async function createSession(url: string, name: string): Promise<Place> {
  return post(`${url}/api/sessions`, { title: `Bench ${name}`, creator_team_name: "Bench" });
}

async function joinSession(url: string, { session_id }: Place, team_name: string): Promise<Place> {
  return post(`${url}/api/sessions/${session_id}/join`, { team_name });
}

async function post(url: string, body: object): Promise<Place> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${JSON.stringify(answer)}`);
  // Both operations answer with these fields, among others.
  const { session_id, team_id } = answer as Place;
  return { session_id, team_id };
}
