// One hostile program and solution of each kind.

import { describe } from "node:test";
import { testHostile } from "./hostile.ts";

describe("a page and hostile programs, one of each kind", () => testHostile(true));
