// An exercise on a page, used as a reader uses it. The class does not depend on what answers the requests, so tests
// with a stand-in and tests with the runner share it.

import type { Locator, Page } from "playwright-core";

export class ExercisePage {
  readonly page: Page;
  readonly root: Locator;
  readonly check: Locator;
  readonly editor: Locator;
  /** The headline of the verdict, or of a notice in its place. */
  readonly headline: Locator;
  readonly notice: Locator;
  readonly marks: Locator;

  constructor(page: Page, id: string) {
    this.page = page;
    this.root = page.locator(`#${id} .ots-widget`);
    this.check = this.root.getByRole("button", { name: "Check", exact: true });
    this.editor = this.root.locator(".cm-content");
    this.headline = this.root.locator(".ots-headline").first();
    this.notice = this.root.locator(".ots-notice");
    this.marks = this.root.locator("button.ots-mark");
  }

  /** Opens a page, scrolls to the exercise and waits for its editor. */
  static async open(page: Page, url: string, id: string): Promise<ExercisePage> {
    await page.goto(url);
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    const exercise = new ExercisePage(page, id);
    await exercise.editor.waitFor();
    return exercise;
  }

  button(name: string | RegExp): Locator {
    return this.root.getByRole("button", { name });
  }

  /** Replaces the whole text, as pasting does. */
  async type(text: string): Promise<void> {
    await this.editor.focus();
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.insertText(text);
  }

  /** Presses Check, waits for the result, and returns its headline. */
  async checked(): Promise<string> {
    await this.check.click();
    await this.root.locator(".ots-stages, .ots-notice").first().waitFor();
    await this.check.waitFor();
    return (await this.headline.textContent()) ?? "";
  }

  /** Returns the visible lines as text. An editor draws only lines near the viewport. */
  async text(): Promise<string> {
    return (await this.root.locator(".cm-line").allTextContents()).join("\n");
  }
}
