// The bundle for an exercise in a room, loaded when this browser is in one.

import { provideBundle } from "../bundles.ts";
import { pageRoom } from "./page-room.ts";
import { RoomLine } from "./room-line.ts";

export interface ParticipantBundle {
  pageRoom: typeof pageRoom;
  RoomLine: typeof RoomLine;
}

provideBundle("participant", { pageRoom, RoomLine });
