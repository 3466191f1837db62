// The seat of a browser in a room: what is stored, what a link opens, and when a room takes again what it refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readRoom } from "../../src/room/api.ts";
import { opensAgain } from "../../src/room/outbox.ts";
import { loadSeatMore, readSeatMore, saveSeatMore, seatLink } from "../../src/room/seat-more.ts";
import { Store } from "../../src/store.ts";
import { MemoryStorage } from "./memory-storage.ts";

const seat = { room: "K7M2QX", title: "T", participant: "p", token: "t", name: "Ada" };

test("what is stored about a seat is of that seat alone", () => {
  const store = new Store(new MemoryStorage());
  const nothing = { partner: "", preview: false };
  assert.deepEqual(loadSeatMore(store, seat), nothing);
  const more = { partner: "ABCDEFGHJKLMNPQR", preview: true };
  saveSeatMore(store, seat, more);
  assert.deepEqual(loadSeatMore(store, seat), more);
  assert.deepEqual(loadSeatMore(store, { ...seat, participant: "q" }), nothing);
});

test("what another version stored is not taken", () => {
  const more = { participant: "p", partner: "k", preview: true };
  assert.deepEqual(readSeatMore({ ...more, other: 1 }), more);
  for (const other of [null, "x", {}, { ...more, partner: 1 }, { ...more, preview: "yes" }])
    assert.equal(readSeatMore(other), null);
});

test("a link has the room and the key in its fragment, which no server sees", () => {
  const link = new URL(seatLink("http://192.168.1.20:8080/book/", "K7M2QX", "ABCDEFGHJKLMNPQR"));
  assert.equal(link.pathname, "/book/join/");
  assert.equal(link.hash, "#K7M2QX/ABCDEFGHJKLMNPQR");
});

test("a room that has an exercise again takes what it refused", () => {
  const room = (...exercises: string[]) => readRoom({ room: "K7M2QX", exercises })!;
  assert.equal(opensAgain(room("exercise6"), room("exercise6", "exercise7")), true);
  assert.equal(opensAgain(room("exercise6", "exercise7"), room("exercise6")), false);
  assert.equal(opensAgain(room("exercise6"), { ...room("exercise6", "exercise7"), ended: true }), false);
});
