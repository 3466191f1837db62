// What a reader is told where the server does not answer.

export const SERVER_AWAY = "The server does not answer";

/** What is safe, and what to do. The place is the site's address. */
export function awayWords(place: string): string {
  const mend = isLocal(place) ? "The server ran on this machine: start it again." : "If you are in a class, tell the instructor.";
  return `Nothing is lost: your code stays in the editor. ${mend}`;
}

/** Whether a page came from a server on this machine: then its reader can start it. */
export function isLocal(place: string): boolean {
  return URL.canParse(place) && ["127.0.0.1", "localhost", "[::1]"].includes(new URL(place).hostname);
}
