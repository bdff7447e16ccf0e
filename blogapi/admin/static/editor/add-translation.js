/** The popover "Add a translation": a new draft, or an article or page that exists. */

import { html } from "../vendor/lit.js";
import { get, patch } from "../api.js";
import { button, choiceCards, field, problem } from "../components.js";
import { openPopover, toast } from "../dialogs.js";
import { languageName, listLanguages } from "../languages.js";
import { session } from "../shell.js";
import { addressOf, create, ITEM, isPage, load, PLACE, pathOf, saveCopy } from "./article.js";
import { EMPTY } from "./edits.js";
import { newUuid } from "./journal.js";
import { pickArticle } from "./link-picker.js";

/** @type {[string, string, string?][]} */
const STARTS = [
  ["copy", "Start with a copy of this text", "Pictures, terms and custom fields too"],
  ["empty", "Start with an empty text", "Only the terms are copied"],
  ["link", `Link ${ITEM === "page" ? "a page" : "an article"} that exists…`],
];
const HELP = {
  copy: "A draft with its own address. Readers see nothing new until you publish it.",
  link: `The ${ITEM} gets this language, and leaves its other translations.`,
};

/** Open the popover. `page` is an Editor; `used` are the languages of the text and its translations. */
export function openTranslation(anchor, page, used) {
  const own = session().site.language;
  const free = listLanguages(own).filter((tag) => !used.includes(tag));
  const wanted = [...session().site.languages.map(({ language }) => language), ...navigator.languages, "en-GB"];
  const form = { language: wanted.find((tag) => free.includes(tag)) ?? free[0] ?? "", start: "copy" };
  const set = (fields) => {
    Object.assign(form, fields);
    popover?.update();
  };
  const run = async (close) => {
    const language = form.language === own ? "" : form.language;
    if (form.start !== "link") await createDraft(page, language, form);
    else await linkItem(page, language, close);
  };
  const draw = (close) => {
    const isLink = form.start === "link";
    const items = Object.fromEntries(free.map((tag) => [tag, languageName(tag)]));
    const onInput = (language) => set({ language });
    const language = { name: "new-language", label: "Language", type: "select", items, onInput, errors: {} };
    const onChange = (start) => set({ start });
    const main = { kind: "main", busy: page.busy === "translate", busyText: isLink ? "Linking…" : "Creating…" };
    return html`<h2>Add a translation</h2>
      ${field({ ...language, value: form.language })}
      ${choiceCards({ label: "Text", name: "start", items: STARTS, value: form.start, onChange })}
      <p class="consequence help">${HELP[form.start] ?? HELP.copy}</p>
      ${problem(page.problem)}
      <div class="popover-buttons">${button("Cancel", () => close(), { kind: "bare" })}
        ${button(isLink ? "Choose" : "Create the draft", () => run(close), main)}</div>`;
  };
  const popover = openPopover(anchor, draw, { label: "Add a translation", kind: "translation" });
}

/** Create the draft of a translation, and open it. `language` is "" for that of the site. */
const createDraft = (page, language, form) =>
  page.act("translate", async () => {
    await shareKey(page);
    const { edits } = page;
    const copy = newUuid();
    const { category, tags, authors, translation_key } = edits;
    const terms = { category, tags, authors, translation_key };
    const texts = form.start === "copy" ? edits : { ...EMPTY, content_type: edits.content_type, ...terms };
    const copied = { ...texts, slug: "", language, seo: { ...texts.seo, canonical_url: "" } };
    await create(copy, copied, {}, isPage ? await findPlace(page.article, form.language) : {});
    location.assign(addressOf(copy));
  });

/** Let the author choose an item, and make it a translation of this one. */
async function linkItem(page, language, close) {
  const list = isPage ? (query) => get("blog/pages/", { query }) : undefined;
  const chosen = await pickArticle(page.uuid, `Link ${isPage ? "a page" : "an article"}`, list);
  // The list closes the popover in most browsers.
  close();
  if (!chosen) return;
  await page.act("translate", async () => {
    await shareKey(page);
    const fields = { language, translation_key: page.edits.translation_key };
    const { article, edits } = await load(chosen.uuid);
    await patch(pathOf(chosen.uuid), fields);
    // Otherwise the edits that are not published would undo it.
    if (article.working_copy) await saveCopy(chosen.uuid, { ...edits, ...fields });
    await page.showTranslations();
  });
  if (page.problem) toast(page.problem);
}

/** Give the article the key that its translations share. Edits that are not published keep it until then. */
async function shareKey(page) {
  await page.store();
  if (page.edits.translation_key) return;
  const translation_key = newUuid();
  if (page.article.working_copy) {
    page.change({ translation_key });
    await page.store();
  } else {
    await patch(pathOf(page.uuid), { translation_key });
    page.take(await load(page.uuid));
  }
}

/** Return the place of a translation of a page: below the translation of the page above, if there is one. */
async function findPlace({ parent, position }, language) {
  if (!parent) return { position };
  const { data: above } = await get(pathOf(parent), { query: { fields: "translation_key" } });
  const query = { translation_key: above.translation_key, language, status: "any", fields: "uuid" };
  const found = above.translation_key ? (await get(`blog/${PLACE}/`, { query })).data : [];
  return { parent: found[0]?.uuid ?? parent, position };
}
