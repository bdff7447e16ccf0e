/** The popover "Add a translation": a new draft, or an article or page that exists. */

import { html } from "../../static/vendor/lit.js";
import { get, patch } from "../api.js";
import { choiceCards, field, problemAlert } from "../components.js";
import { openPopover, dialogButtons, toast } from "../dialogs.js";
import { getLanguageName, listLanguages } from "../languages.js";
import { session } from "../shell.js";
import { COLLECTION, ITEM, isPage, loadArticle, getPath, saveCopy } from "./article.js";
import { createCopy } from "./duplicate.js";
import { EMPTY } from "./edits.js";
import { newUuid } from "./journal.js";
import { pickArticle } from "./link-picker.js";

/** @type {[string, string, string?][]} */
const START_CHOICES = [
  ["copy", "Start with a copy of this text", "Pictures, terms and custom fields too"],
  ["empty", "Start with an empty text", "Only the terms are copied"],
  ["link", `Link ${ITEM === "page" ? "a page" : "an article"} that exists…`],
];
/** @type {Record<string, string>} */
const HELP_TEXTS = {
  copy: "A draft with its own address. Readers see nothing new until you publish it.",
  link: `The ${ITEM} gets this language, and leaves its other translations.`,
};

/**
 * Open the popover. used: the languages of the text and its translations.
 * @param {HTMLElement} anchor @param {EditorPage} page @param {string[]} used
 */
export function openTranslation(anchor, page, used) {
  /** @type {{language: string, languages: {language: string}[]}} */
  const { language: siteLanguage, languages } = session().site;
  const free = listLanguages(siteLanguage).filter((tag) => !used.includes(tag));
  const wanted = [...languages.map(({ language }) => language), ...navigator.languages, "en-GB"];
  const form = { language: wanted.find((tag) => free.includes(tag)) ?? free[0] ?? "", start: "copy" };
  /** @param {Partial<typeof form>} fields */
  const setForm = (fields) => {
    Object.assign(form, fields);
    popover?.update();
  };
  /** @param {Close} close */
  const addTranslation = async (close) => {
    const language = form.language === siteLanguage ? "" : form.language;
    if (form.start !== "link") await createDraft(page, language, form);
    else await linkTranslation(page, language, close);
  };
  const renderContent = (/** @type {Close} */ close) => {
    const isLink = form.start === "link";
    const items = Object.fromEntries(free.map((tag) => [tag, getLanguageName(tag)]));
    const onInput = (/** @type {string} */ language) => setForm({ language });
    const language = { name: "new-language", label: "Language", type: "select", items, onInput, errors: {} };
    const onChange = (/** @type {string} */ start) => setForm({ start });
    const main = { busy: page.busy === "translate", busyText: isLink ? "Linking…" : "Creating…" };
    return html`<h2>Add a translation</h2>
      ${field({ ...language, value: form.language })}
      ${choiceCards({ label: "Text", name: "start", items: START_CHOICES, value: form.start, onChange })}
      <p class="consequence help">${HELP_TEXTS[form.start] ?? HELP_TEXTS.copy}</p>
      ${problemAlert(page.problem)}
      ${dialogButtons(close, isLink ? "Choose" : "Create the draft", () => addTranslation(close), main)}`;
  };
  const popover = openPopover(anchor, renderContent, { label: "Add a translation", kind: "translation" });
}

/**
 * Create the draft of a translation, and open it.
 * @param {EditorPage} page @param {string} language "" = the language of the site
 * @param {{language: string, start: string}} form
 */
const createDraft = (page, language, form) =>
  page.act("translate", async () => {
    await shareTranslationKey(page);
    const { edits } = page;
    const { content_type, category, tags, authors, translation_key } = edits;
    const texts = form.start === "copy" ? edits : { ...EMPTY, content_type, category, tags, authors, translation_key };
    await createCopy({ ...texts, language }, isPage ? await findPosition(page.article, form.language) : {});
  });

/**
 * Let the author choose an item, and make it a translation of this one.
 * @param {EditorPage} page @param {string} language @param {Close} close
 */
async function linkTranslation(page, language, close) {
  const list = isPage ? (/** @type {Json} */ query) => get("blog/pages/", { query }) : undefined;
  const chosen = await pickArticle(page.uuid, `Link ${isPage ? "a page" : "an article"}`, list);
  // In most browsers, the list has closed the popover already.
  close();
  if (!chosen) return;
  await page.act("translate", async () => {
    await shareTranslationKey(page);
    const fields = { language, translation_key: page.edits.translation_key };
    const { article, edits } = await loadArticle(chosen.uuid);
    await patch(getPath(chosen.uuid), fields);
    // Without this, publishing the working copy of the chosen item would undo the change.
    if (article.working_copy) await saveCopy(chosen.uuid, { ...edits, ...fields });
    await page.showTranslations();
  });
  if (page.problem) toast(page.problem);
}

/**
 * Give the article the key that its translations share. If it has unpublished edits, the key is one of them.
 * @param {EditorPage} page
 */
async function shareTranslationKey(page) {
  await page.ensureSaved();
  if (page.edits.translation_key) return;
  const translation_key = newUuid();
  if (page.article.working_copy) {
    page.change({ translation_key });
    await page.ensureSaved();
  } else {
    await patch(getPath(page.uuid), { translation_key });
    page.startFrom(await loadArticle(page.uuid));
  }
}

/**
 * Return the position of a translation of a page: below the translation of the parent page, if there is one.
 * @param {Article} page @param {string} language
 */
async function findPosition({ parent, position }, language) {
  if (!parent) return { position };
  const { data: above } = await get(getPath(parent), { query: { fields: "translation_key" } });
  const query = { translation_key: above.translation_key, language, status: "any", fields: "uuid" };
  const found = above.translation_key ? (await get(`blog/${COLLECTION}/`, { query })).data : [];
  return { parent: found[0]?.uuid ?? parent, position };
}
