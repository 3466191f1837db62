// The page's engine measures in a second instance of the program, and confirms a pass over more operations.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchForEngine } from "../browser/chromium.ts";
import { root } from "../e2e/site.ts";
import { exercisesOf, type Exercise } from "../e2e/workbook.ts";
import { PATH, tree } from "../site/site-below.ts";
import { StaticHost } from "../static-host.ts";
import { checkIn, startEngine } from "./page-engine.ts";

/**
 * Returns a solution that allocates, once in the given number of calls, the transactions, messages and bytes for all of
 * these calls.
 */
const slab = (calls: number) => `package climate

type Message struct {
	Data []byte
	Fill bool
}

type Transaction struct {
	Addr     uint16
	Messages []Message
}

type Bus interface {
	Do(t *Transaction) error
}

type Reading struct {
	Register uint8
	Value    uint16
}

type call struct {
	t        Transaction
	messages [16]Message
	wire     [24]byte
}

type Board struct {
	bus  Bus
	addr uint16
	free []call
}

func NewBoard(bus Bus, addr uint16) *Board {
	return &Board{bus: bus, addr: addr, free: make([]call, ${calls})}
}

func (b *Board) Read(readings []Reading) error {
	if len(readings) == 0 {
		return nil
	}
	var c *call
	if len(b.free) > 0 && len(readings) <= 8 {
		c = &b.free[0]
		b.free = b.free[1:]
	} else {
		c = new(call)
	}
	wire := c.wire[:]
	c.t.Addr, c.t.Messages = b.addr, c.messages[:0]
	if len(readings) > 8 {
		wire = make([]byte, 3*len(readings))
	}
	for i, r := range readings {
		wire[3*i] = r.Register
		c.t.Messages = append(c.t.Messages, Message{Data: wire[3*i : 3*i+1]}, Message{Data: wire[3*i+1 : 3*i+3], Fill: true})
	}
	if err := b.bus.Do(&c.t); err != nil {
		return err
	}
	for i := range readings {
		readings[i].Value = uint16(wire[3*i+1])<<8 | uint16(wire[3*i+2])
	}
	return nil
}
`;

describe("what passes in the page is confirmed", () => {
  let host: StaticHost;
  let browser: Browser;
  let page: Page;
  let exercises: Exercise[];
  before(async () => {
    exercises = await exercisesOf(root);
    host = await StaticHost.start(tree, PATH);
    browser = await launchForEngine();
    page = await browser.newPage();
    await page.goto(`${host.url}book/introduction.html`);
    await startEngine(page);
  });
  after(async () => {
    await browser?.close();
    await host?.stop();
  });

  test("checks a solution twice, and the starter in between", async () => {
    const { id, solution, starter } = exercises[0]!;
    for (const files of [solution, starter, solution]) {
      const { outcome } = await checkIn(page, id, files);
      assert.equal(outcome.kind, "ok", JSON.stringify(outcome));
      const v = outcome.kind === "ok" ? outcome.value : null;
      assert.equal(v?.pass, files === solution, JSON.stringify(v));
      const { n, confirmed } = v!.benchmarks[0]!;
      assert.equal(confirmed, files === solution ? 10 * n : 0);
    }
  });

  for (const calls of [1100, 5000]) {
    test(`memory ahead for ${calls} operations`, async () => {
      const { outcome } = await checkIn(page, "exercise15", { "climate.go": slab(calls) });
      assert.equal(outcome.kind, "ok", JSON.stringify(outcome));
      assert.equal(outcome.kind === "ok" && outcome.value.pass, false, JSON.stringify(outcome));
      assert.notEqual(outcome.kind === "ok" && outcome.value.stage, "build", JSON.stringify(outcome));
    });
  }
});
