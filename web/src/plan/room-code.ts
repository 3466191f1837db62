// The code of the class's room, which a link of the room's page puts into the address: "?room=K7M2QX".

import { isCode, normalized } from "../room/typed.ts";

/** Returns the code in this page's address; "" if there is none. */
export function roomCode(): string {
  const code = normalized(new URLSearchParams(location.search).get("room") ?? "");
  return isCode(code) ? code : "";
}

/**
 * Puts the code in this page's address into links, and has the link that opens the plan's room show the class's room
 * instead.
 */
export function withRoom(links: Iterable<HTMLAnchorElement>): void {
  const code = roomCode();
  const open = document.querySelector<HTMLAnchorElement>("main a.room-link");
  if (code !== "" && open) {
    open.hash = code;
    open.textContent = "Show the room of this class";
  }
  if (code !== "") for (const link of links) link.search = `?room=${code}`;
}
