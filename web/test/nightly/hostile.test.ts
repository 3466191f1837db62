// The hostile programs and solutions that engine/hostile.test.ts leaves out.

import { describe } from "node:test";
import { testHostile } from "../engine/hostile.ts";

describe("a page and all other hostile programs", () => testHostile(false));
