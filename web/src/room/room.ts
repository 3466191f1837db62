// The script of /room, for instructors: opens rooms and shows them. The fragment of the address says what is shown:
// nothing, #open=PLAN for the form with a plan's exercises, #CODE for the grid of a room, or #CODE/projector.

import { button, el, onFragment } from "../dom.ts";
import { siteRoot } from "../site-root.ts";
import { browserStore } from "../store.ts";
import { RoomAPI } from "./api.ts";
import { isCode, normalized } from "./typed.ts";
import { Exercises } from "./data.ts";
import { forgetToken, keepToken, takeToken } from "./instructor-token.ts";
import { openForm, tokenForm } from "./open-form.ts";
import { RoomView } from "./room-view.ts";

const HEADING = "Open a room";

/** What a deletion leaves, and until when. */
const STAYS =
  "Its text stays in the server's files until the server is stopped, or started again. " +
  "A server that uses a NATS cluster leaves that to the cluster.";

const block = document.querySelector<HTMLElement>(".ots-room");
const heading = document.querySelector<HTMLElement>("main h1");
if (block && heading) begin(block, heading);

function begin(block: HTMLElement, heading: HTMLElement): void {
  const store = browserStore();
  const root = siteRoot();
  const exercises = new Exercises(block);
  const shown = el("div", {});
  block.append(shown);
  let view: RoomView | null = null;
  let code = "";
  let token = "";

  const plain = (node: HTMLElement) => {
    view?.stop();
    view = null;
    code = "";
    heading.textContent = HEADING;
    document.title = `${HEADING} · On the Stack`;
    document.documentElement.classList.remove("is-projected");
    shown.replaceChildren(node);
  };
  const askToken = (notice: string) => {
    forgetToken();
    plain(
      tokenForm(notice, (given) => {
        keepToken(given);
        route();
      }),
    );
  };
  const askRoom = (notice: HTMLElement | null) => {
    const api = new RoomAPI(root, token);
    const go = (code: string) => {
      location.hash = code;
    };
    const plan = exercises.plans.find(({ plan }) => location.hash === `#open=${plan}`) ?? null;
    plain(openForm({ api, exercises, plan, onRoom: go, onForget: () => askToken(""), onWrongToken: askToken }));
    if (notice) shown.prepend(notice);
  };
  const showRoom = (asked: string, projected: boolean) => {
    if (view && code === asked) return view.project(projected);
    view?.stop();
    code = asked;
    heading.textContent = `Room ${asked}`;
    view = new RoomView({
      api: new RoomAPI(root, token),
      code: asked,
      root,
      store,
      exercises,
      heading,
      onGone: ({ message, wrongToken }) => {
        history.replaceState(null, "", location.pathname + location.search);
        if (wrongToken) return askToken(message);
        const notice = el("p", { class: "room-problem", role: "alert" }, `${asked}: ${message}`);
        if (!document.documentElement.classList.contains("is-projected")) return askRoom(notice);
        // The class would see the server's other rooms, with their codes.
        plain(el("div", {}, notice, el("p", {}, button("ots-button", () => askRoom(null), "Show the other rooms"))));
        heading.textContent = `Room ${asked}`;
      },
      onDeleted: () => {
        history.replaceState(null, "", location.pathname + location.search);
        askRoom(el("p", { class: "room-said", role: "status" }, `Room ${asked} is deleted. ${STAYS}`));
      },
    });
    view.project(projected);
    shown.replaceChildren(view.root);
  };
  const route = () => {
    token = takeToken();
    const [first = "", second] = location.hash.slice(1).split("/");
    const asked = normalized(first);
    if (token === "") askToken("");
    else if (isCode(asked)) showRoom(asked, second === "projector");
    else askRoom(null);
  };
  onFragment(route);
  addEventListener("keydown", (e) => {
    if (e.key === "Escape" && document.documentElement.classList.contains("is-projected")) location.hash = code;
  });
  route();
}
