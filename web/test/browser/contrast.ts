// Computes, inside a page, the WCAG contrast of every text that is drawn there.

import type { Page } from "playwright-core";
import { THEME_NAMES } from "../stand-in/page.ts";

export interface Faint {
  text: string;
  ratio: number;
}

/**
 * Returns the texts below selector whose contrast with their background is under 4.5, and how many texts were checked.
 */
export function faintTexts(page: Page, selector: string): Promise<{ faint: Faint[]; seen: number }> {
  return page.evaluate((selector) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
    canvas.canvas.width = canvas.canvas.height = 1;
    type Color = [r: number, g: number, b: number, a: number];
    const parse = (css: string): Color => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = css;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      return [r!, g!, b!, a! / 255];
    };
    const luminance = ([r, g, b]: Color) => {
      const [R, G, B] = [r, g, b].map((c) =>
        c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * R! + 0.7152 * G! + 0.0722 * B!;
    };
    const ground = (e: Element): Color => {
      for (let at: Element | null = e; at; at = at.parentElement) {
        const color = parse(getComputedStyle(at).backgroundColor);
        if (color[3] === 1) return color;
      }
      return [255, 255, 255, 1];
    };
    const faint: Faint[] = [];
    let seen = 0;
    const over = ([r, g, b]: Color, share: number, below: Color): Color => {
      const mix = (i: 0 | 1 | 2, c: number) => c * share + below[i] * (1 - share);
      return [mix(0, r), mix(1, g), mix(2, b), 1];
    };
    /** The background of a text in a drawing is the shapes below its center. */
    const drawn = (text: SVGElement): [front: Color, back: Color] => {
      text.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      const { x, y, width, height } = text.getBoundingClientRect();
      const under = document
        .elementsFromPoint(x + width / 2, y + height / 2)
        .filter((e) => e.matches("rect, path, circle, polygon, ellipse"));
      const svg = text.closest("svg")!;
      let back = ground(svg);
      for (const shape of under.reverse()) {
        const { fill, fillOpacity, opacity } = getComputedStyle(shape);
        if (fill === "none" || !svg.contains(shape)) continue;
        const color = parse(fill);
        back = over(color, color[3] * Number(fillOpacity) * Number(opacity), back);
      }
      return [parse(getComputedStyle(text).fill), back];
    };
    for (const root of document.querySelectorAll(selector)) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const e = node.parentElement!;
        const text = node.textContent!.trim();
        if (text === "" || e.closest("script, .ots-unseen") || !e.checkVisibility({ visibilityProperty: true }))
          continue;
        seen++;
        const [front, back] = e instanceof SVGElement ? drawn(e) : [parse(getComputedStyle(e).color), ground(e)];
        const [a, b] = [luminance(front), luminance(back)];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) faint.push({ text, ratio: Math.round(ratio * 100) / 100 });
      }
    }
    return { faint, seen };
  }, selector);
}

/** Wears each theme of the book in turn, without transitions. A page that is opened anew has its own theme again. */
export async function inEachTheme(page: Page, look: (theme: string) => Promise<void>): Promise<void> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const theme of THEME_NAMES) {
    await page.evaluate(
      ([names, theme]) => {
        document.documentElement.classList.remove(...names);
        document.documentElement.classList.add(theme);
      },
      [THEME_NAMES, theme] as const,
    );
    await look(theme);
  }
}

/** Returns the texts that are too faint in a theme of the book, and how many texts were checked in each. */
export async function faintInThemes(page: Page, selector: string): Promise<{ faint: unknown[]; seen: number }> {
  const faint: unknown[] = [];
  let seen = 0;
  await inEachTheme(page, async (theme) => {
    const found = await faintTexts(page, selector);
    faint.push(...found.faint.map((text) => ({ theme, ...text })));
    seen = found.seen;
  });
  return { faint, seen };
}
